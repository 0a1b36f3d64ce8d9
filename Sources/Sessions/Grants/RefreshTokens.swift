import APIs
package import Access
import ClientKeys
import Encoding
package import Foundation
import Postgres
package import Signing
package import Tenancy
import Web

extension OAuthError {
    /// Not `invalid_grant`, which `SpentCredentials` repeats: the owner of the key may come a moment after a thief.
    fileprivate static let otherKey = OAuthError(
        .invalidDPoPProof, "The refresh token is bound to a key. Send a DPoP proof of the key that the first proof of this session was for."
    )
    fileprivate static let badRefreshToken = OAuthError(
        .invalidGrant, "The refresh token does not belong to this application, or its session has ended.")
}

/// A session whose refresh token was used up.
package struct RenewedSession: Sendable {
    package let id: ID<Session>
    package let session: Session
    /// The successor of the refresh token.
    package let refreshToken: String
    /// The key that signs the new tokens.
    package let key: SigningKey
}

extension Tokens {
    /// The refresh token grant.
    func refreshTokens(_ form: Form, _ key: KeyThumbprint?, _ application: Application, _ tenant: Tenant) async throws -> TokenReply {
        guard let presented = form["refresh_token"] else { throw OAuthError(.invalidRequest, "refresh_token is missing.") }
        let asked = form["scope"]?.parts(at: " ").map(String.init) ?? []
        let target = try await target(of: form, application, tenant)
        return try await refreshTokens(presented, scope: asked, for: target, provenKey: key, application, tenant, at: endpoints.now())
    }

    /// Renews the tokens of a session. The access token is for the issuer.
    /// - Throws: as `renew`.
    package func refreshTokens(
        _ presented: String, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws -> TokenReply {
        try await refreshTokens(presented, scope: [], for: .issuer, provenKey: nil, application, tenant, at: now)
    }

    /// - Parameter asked: the requested scope; empty for the granted one.
    private func refreshTokens(
        _ presented: String, scope asked: [String], for target: Target?, provenKey key: KeyThumbprint?, _ application: Application,
        _ tenant: Tenant, at now: Date
    ) async throws -> TokenReply {
        let renewed = try await renew(
            presented, scope: asked, for: target, provenKey: key, by: application, of: tenant, signing: application.signingAlgorithm,
            at: now)
        let session = renewed.session
        let granted = asked.isEmpty ? session.scope : session.scope.parts(at: " ").filter { asked.has($0) }.joined(separator: " ")
        let api = try await api(for: target, granted: session.apis, application, tenant)
        let scope = scope(granted, for: api, target, granted: session.apis)
        let access = try AccessToken(
            issuer: endpoints.issuer(tenant), user: session.user, application: application, tenant: tenant.id, session: renewed.id,
            scope: scope, for: api?.api, boundTo: key, at: now
        ).signed(by: renewed.key, of: signingKeys)
        // Each id_token of a session has the issuer of the first one (OpenID Connect Core, section 12.2), as long as it exists.
        let hasIssuer = tenant.addresses.isCurrent(session.host) || !tenant.addresses.serves(session.host)
        let idToken =
            try hasIssuer && granted.parts(at: " ").has("openid")
            ? IdentityClaims(
                refreshing: session, renewed.id, issuer: endpoints.issuer(tenant), application: application.id, accessToken: access, at: now
            ).signed(by: renewed.key) : nil
        return TokenReply(
            access_token: access, scheme: .init(boundTo: key), expires_in: api?.api.accessTokenSeconds ?? application.accessTokenSeconds,
            refresh_token: renewed.refreshToken, id_token: idToken, scope: Scope.shown(scope))
    }

    /// Uses up a refresh token. One update of the session's row also creates the successor.
    ///
    /// - Parameters:
    ///   - asked: the requested scope; empty for the granted one.
    ///   - algorithm: the algorithm of the tokens that the caller makes afterwards.
    /// - Throws: `OAuthError` if the token is invalid, its session has ended, or the scope was not granted. A token that was used before
    ///   ends its session.
    package func renew(
        _ presented: String, scope asked: [String] = [], by application: Application, of tenant: Tenant,
        signing algorithm: Application.SigningAlgorithm, at now: Date
    ) async throws -> RenewedSession {
        try await renew(presented, scope: asked, for: nil, provenKey: nil, by: application, of: tenant, signing: algorithm, at: now)
    }

    /// - Parameter target: an API must be one of the user's sign-in.
    private func renew(
        _ presented: String, scope asked: [String], for target: Target?, provenKey: KeyThumbprint?, by application: Application,
        of tenant: Tenant, signing algorithm: Application.SigningAlgorithm, at now: Date
    ) async throws -> RenewedSession {
        try application.requireProof(provenKey)
        var request = Session.RefreshRequest(scope: asked, key: provenKey)
        if case .api(let named) = target { request.api = named.api.id }
        guard let token = RefreshToken(presented, of: tenant.id, with: endpoints.keyring) else { throw OAuthError.badRefreshToken }
        return try await spent.refuse(.refresh(token.session, generation: token.generation), by: .init(application, tenant), at: now) {
            // RFC 6749, section 3.3: no other character is in a granted scope, and none may reach the database.
            guard asked.allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } })
            else { throw OAuthError(.invalidScope, "scope contains an invalid character.") }
            let key = try await signingKeys.current(algorithm, of: tenant.id)
            let session = try await refreshedSession(of: token, request, application, tenant, at: now)
            let successor = RefreshToken(token.session, generation: session.generation).text(of: tenant.id, with: endpoints.keyring)
            return RenewedSession(id: token.session, session: session, refreshToken: successor, key: key)
        }
    }

    private func refreshedSession(
        of token: RefreshToken, _ asked: Session.RefreshRequest, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws -> Session {
        // A repetition finds the used token, and gets the same successor.
        let database = OwnerDatabase(pool, tenant: tenant.id).repeatable
        let refreshed = try await database.run(
            Session.refresh(
                token.session, of: tenant, application: application, generation: token.generation, asked, at: now)
        ).first(Session.init)
        if let refreshed { return refreshed }

        // The token was used before, is expired or ended, or belongs to another application. This is rare, so a second query is acceptable.
        let found = try await database.run(Session.find(token.session, of: tenant.id, application: application.id)).first(Session.init)
        guard let found else { throw OAuthError.badRefreshToken }
        switch found.answer(to: token, asking: asked, idleSeconds: application.idleSeconds, at: now) {
        case .again:
            return found
        case .otherKey: throw OAuthError.otherKey
        case .scopeNotGranted:
            // RFC 6749, section 6: the scope may not exceed the granted one.
            throw OAuthError(.invalidScope, "scope must not exceed the granted scope.")
        case .targetNotGranted:
            throw OAuthError(.invalidTarget, "The user's sign-in did not include this resource. Send it at the authorization endpoint.")
        case .ended:
            throw OAuthError.badRefreshToken
        case .reused:
            _ = try await database.run(
                Session.end(token.session, of: tenant.id, because: .refreshTokenReused, actor: application.id, at: now))
            throw OAuthError(.invalidGrant, "The refresh token was used before. Its session is revoked. The user must sign in again.")
        }
    }
}

extension Session {
    /// The response to a refresh token that is not the current one.
    enum Answer: Equatable {
        /// The same successor again, because the response was lost or two tabs raced.
        case again
        case ended
        /// The refresh token is bound to a key that the request does not prove.
        case otherKey
        case scopeNotGranted
        case targetNotGranted
        /// Someone has an old token. The session must end.
        case reused
    }

    /// - Parameter idleSeconds: how long a session of the application may go without a refresh.
    func answer(to token: RefreshToken, asking asked: RefreshRequest = .init(), idleSeconds: Int, at now: Date) -> Answer {
        guard endedAt == nil, now < expiresAt, now < refreshedAt.addingTimeInterval(TimeInterval(idleSeconds)) else { return .ended }
        let isScope = Set(asked.scope).isSubset(of: scope.parts(at: " ").map(String.init))
        // A thief may have bound the session to another key. Then the application's old token must end it, so an older generation counts as
        // reused with every key.
        let isOwner = key == nil || key == asked.key
        let refusal: Answer? =
            !isOwner ? .otherKey : !isScope ? .scopeNotGranted : asked.api.map { apis.contains($0) } ?? true ? nil : .targetNotGranted
        switch generation - token.generation {
        case 1 where now <= refreshedAt.addingTimeInterval(RefreshToken.grace): return refusal ?? .again
        case 1...: return .reused
        // Without a refusal, this generation does not exist yet. The database was restored to an earlier state.
        case 0: return refusal ?? .ended
        default: return .ended
        }
    }
}
