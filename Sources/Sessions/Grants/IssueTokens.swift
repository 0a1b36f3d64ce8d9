import APIs
package import Access
import Billing
package import ClientKeys
package import Encoding
package import Foundation
import Ledger
package import Postgres
package import Signing
package import Tenancy
package import Users

extension Tokens {
    /// Issues the tokens of a login. They are made only after the login is in the ledger.
    ///
    /// - Parameters:
    ///   - key: the key that the request proves. The tokens are bound to it.
    ///   - statements: statements of the same transaction, which run first.
    /// - Throws: as `startSession`; `OAuthError` if the API of the login was deleted, or does not list the application any longer.
    package func issueTokens(
        for login: CompletedLogin, to application: Application, of tenant: Tenant, boundTo key: KeyThumbprint? = nil,
        after statements: [SQL] = [], at now: Date
    ) async throws -> TokenReply {
        try await issueTokens(for: login, to: application, of: tenant, boundTo: key, target: nil, after: statements, at: now)
    }

    /// Issues the tokens of a login, for the target that the request names.
    /// - Parameters:
    ///   - key: the key that the request proves.
    ///   - statements: statements of the same transaction, which run first.
    /// - Throws: as the other `issueTokens`.
    package func issueTokens(
        for login: CompletedLogin, asked form: Form, boundTo key: KeyThumbprint?, by application: Application, of tenant: Tenant,
        after statements: [SQL], at now: Date
    ) async throws -> TokenReply {
        let target = try await target(of: form, application, tenant)
        return try await issueTokens(for: login, to: application, of: tenant, boundTo: key, target: target, after: statements, at: now)
    }

    /// - Parameter target: the target that the request names for the access token. The login must be for it.
    func issueTokens(
        for login: CompletedLogin, to application: Application, of tenant: Tenant, boundTo key: KeyThumbprint?, target: Target?,
        after statements: [SQL] = [], at now: Date
    ) async throws -> TokenReply {
        try await reply(to: login, application, tenant, boundTo: key, target: target, at: now) {
            try await startSession(
                for: login, of: application, tenant, signing: application.signingAlgorithm, boundTo: key, after: statements, at: now)
        }
    }

    /// Issues the tokens of a login again, because the first response may be lost. The refresh token is the same. It is possible until the
    /// session's first refresh, and as long as a used refresh token gets its successor again.
    /// - Parameter key: the key that the request proves. It must be the first request's.
    /// - Returns: nil if the session is not such a new one.
    /// - Throws: as `issueTokens`.
    package func issueTokensAgain(
        for login: CompletedLogin, asked form: Form, boundTo key: KeyThumbprint?, by application: Application, of tenant: Tenant,
        at now: Date
    ) async throws -> TokenReply? {
        try application.requireProof(key)
        let started = try await OwnerDatabase(pool, tenant: tenant.id).run(
            Session.justStarted(
                login, by: application, boundTo: key, since: now.addingTimeInterval(-RefreshToken.grace), of: tenant.id, at: now)
        ).first(User.init)
        guard let started else { return nil }
        let target = try await target(of: form, application, tenant)
        return try await reply(to: login, application, tenant, boundTo: key, target: target, at: now) {
            (started, try await signingKeys.current(application.signingAlgorithm, of: tenant.id))
        }
    }

    /// The tokens of a login. They are made only after its session has started.
    /// - Parameter start: starts the session, and returns its user and the key that signs the tokens.
    private func reply(
        to login: CompletedLogin, _ application: Application, _ tenant: Tenant, boundTo key: KeyThumbprint?, target: Target?, at now: Date,
        start: () async throws -> (User, SigningKey)
    ) async throws -> TokenReply {
        // The target comes first, because a refused one must not use up the login.
        let api = try await api(for: target, granted: login.apis, application, tenant)
        guard target != nil || api != nil || login.apis.isEmpty else {
            throw OAuthError(.invalidTarget, "The API was deleted, or does not list the application any longer. Send another resource.")
        }
        let scope = scope(login.scope, for: api, target, granted: login.apis)
        let (user, signingKey) = try await start()
        let access = try AccessToken(
            issuer: endpoints.issuer(tenant), user: user.id, application: application, tenant: tenant.id, session: login.session,
            scope: scope, for: api?.api, boundTo: key, at: now
        ).signed(by: signingKey, of: signingKeys)
        let idToken =
            try login.scope.parts(at: " ").has("openid")
            ? IdentityClaims(
                issuer: endpoints.issuer(tenant), user: user, application: application.id, login: login, accessToken: access, at: now
            ).signed(by: signingKey) : nil
        return TokenReply(
            access_token: access, scheme: .init(boundTo: key), expires_in: api?.api.accessTokenSeconds ?? application.accessTokenSeconds,
            refresh_token: application.givesRefreshToken(forScope: login.scope) ? firstRefreshToken(of: login.session, tenant) : nil,
            id_token: idToken, scope: Scope.shown(scope))
    }

    /// Starts the session of a login. One statement writes the session and the usage event and reads the user.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm of the tokens that the caller makes afterwards.
    ///   - key: the key that the request proves.
    ///   - statements: statements of the same transaction, which run first.
    /// - Returns: the user, and the key that signs the tokens.
    /// - Throws: `DatabaseError` with the constraint `session_pkey` if the login already received its tokens; `OAuthError` if the user was
    ///   deleted, or lost all tokens since the login was admitted, or if the application requires a key.
    package func startSession(
        for login: CompletedLogin, of application: Application, _ tenant: Tenant, signing algorithm: Application.SigningAlgorithm,
        boundTo key: KeyThumbprint? = nil, after statements: [SQL] = [], at now: Date
    ) async throws -> (user: User, key: SigningKey) {
        try application.requireProof(key)
        // The key is read before the usage event is written, because a login that receives no tokens must cost nothing.
        let signingKey = try await signingKeys.current(algorithm, of: tenant.id)
        var batch = Statements(statements)
        let session = batch.append(
            Session.begin(login, of: tenant, application: application, boundTo: key, at: now) { started in
                UsageEvent.insert(
                    login.isSilent ? .silentLogin : .login, login: login.login.uuid, tenant: tenant.id, application: application.id,
                    session: started, connection: login.connection, firstOpenMonth: Statement.firstOpenMonth(of: tenant.id), at: now)
            })
        let database = OwnerDatabase(pool, tenant: tenant.id).locking(LoginLock.shared(of: tenant.id)).repeatable
        let started: User?
        do {
            started = try await database.run(batch)[session].first(User.init)
        } catch let error as DatabaseError where error.isUniqueViolation && error.isAfterLoss {
            // Perhaps the first execution started the session, and only its answer was lost.
            started = try await database.run(Session.started(login, at: now, of: tenant.id)).first(User.init)
            if started == nil { throw error }
        }
        guard let user = started
        else { throw OAuthError(.invalidGrant, "The user no longer exists, or was signed out everywhere since this login.") }
        return (user, signingKey)
    }

    /// The first refresh token of a session that has just started.
    package func firstRefreshToken(of session: ID<Session>, _ tenant: Tenant) -> String {
        RefreshToken(session, generation: 0).text(of: tenant.id, with: endpoints.keyring)
    }
}

extension Application {
    /// Whether a sign-in with this scope has a refresh token.
    package func givesRefreshToken(forScope scope: String) -> Bool {
        !requiresOfflineAccess || scope.parts(at: " ").has(Scope.offlineAccess)
    }
}
