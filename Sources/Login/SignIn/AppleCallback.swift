import Apple
import Foundation
import HTTPTypes
import Logging
import Postgres
import Hummingbird
import Tenancy
import Web

extension Login {
    /// Where Apple sends the browser back to, for a connection of the tenant's own.
    @Sendable
    func appleCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await outageShown(.outageAtCallback, context, { try await tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        return try await finish(request, context) { attempt in
            attempt.tenant == tenant.tenant.id && attempt.mayReturn(through: .own, tenant) ? tenant : nil
        }
    }

    /// The same for the shared connection, whose one Return URL serves every tenant on it.
    @Sendable
    func sharedAppleCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        try await finish(request, context) { attempt in
            guard let found = try await directory.find(attempt.tenant), found.tenant.status == .active,
                attempt.mayReturn(through: .shared, found)
            else { return nil }
            context.record.note(tenant: found.tenant.slug)
            return found
        }
    }

    private func finish(
        _ request: Request, _ context: WebContext, tenantOf: (LoginAttempt) async throws -> TenantConfiguration?
    ) async throws -> Response {
        let now = now()
        let form = try await postedForm(request, upTo: context.maxUploadSize)
        let attempt: LoginAttempt
        do throws(LoginAttempt.Refusal) {
            attempt = try LoginAttempt(opening: form["state"] ?? "", with: keyring, at: now)
        } catch {
            metrics.count(.callback, "attempt_\(error.rawValue)")
            throw error == .expired ? ErrorPage.attemptExpired : ErrorPage.attemptUnreadable
        }
        guard let tenant = try await outageShown(.outageAtCallback, context, { try await tenantOf(attempt) }) else {
            metrics.count(.callback, "other_tenant")
            throw ErrorPage.attemptUnreadable
        }
        let cookie = AttemptCookie(attempt.login, publicURL: publicURL)
        guard attempt.wasStarted(byBrowserWith: cookie.value(in: request)) else {
            metrics.count(.callback, "other_browser")
            throw ErrorPage.otherBrowser
        }
        // What was registered when the attempt began may be gone by now.
        guard let application = tenant.applications[attempt.application] else { throw ErrorPage.unknownApplication }
        guard application.mayRedirect(to: attempt.redirectURI) else { throw ErrorPage.redirectURINotRegistered }

        // From here on the application is told.
        let issuer = issuer(tenant.tenant)
        do {
            let code = try await authorizationCode(for: AppleAnswer(form), to: attempt, tenant, at: now)
            metrics.count(.callback, "ok")
            return .redirect(
                to: attempt.redirectURI,
                adding: [("code", code.sealed(with: keyring)), ("state", attempt.state), ("iss", issuer)],
                cookies: [cookie.removal])
        } catch {
            let refusal = CallbackRefusal(error)
            metrics.count(.callback, refusal.outcome)
            logger.log(
                level: refusal.isOurs ? .error : .notice, "callback refused",
                metadata: [
                    "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant.tenant.slug)",
                    "outcome": "\(refusal.outcome)", "cause": "\(error)",
                ])
            var answer = RedirectedError(
                refusal.code, refusal.description, to: attempt.redirectURI, state: attempt.state, issuer: issuer)
            answer.cookies = [cookie.removal]
            throw answer
        }
    }

    /// Turns Apple's answer into a code of ours: one call to Apple, one round trip to the database, which
    /// keeps the user whether or not the application ever redeems the code.
    private func authorizationCode(
        for answer: AppleAnswer, to attempt: LoginAttempt, _ tenant: TenantConfiguration, at now: Date
    ) async throws -> AuthorizationCode {
        let (code, idToken, name): (String, String?, AppleUser?)
        switch answer {
        case .code(let sent, let token, let user): (code, idToken, name) = (sent, token, user)
        case .cancelled: throw CallbackRefusal.cancelled
        case .other: throw CallbackRefusal.refusedByApple
        }
        guard let connection = tenant.connection, let key = tenant.appleKey, connection.id == attempt.connection
        else { throw CallbackRefusal.connectionChanged }

        // One limit for all that is asked of Apple: the user waits for the sum.
        let deadline = ContinuousClock.now + apple.timeout
        let redeemed: (token: IDToken, refreshToken: String?)
        do {
            redeemed = try await redeem(code, for: attempt, tenant.tenant, connection, key, at: now, by: deadline)
        } catch {
            // Apple sends the name once. It came with an id_token that is as good a proof of whose it is.
            if let name, let idToken, let token = try? await verify(idToken, for: attempt, connection, at: now, by: deadline) {
                _ = try await keep(token, name, refreshToken: nil, attempt, connection, at: now)
            }
            throw error
        }
        let user = try await keep(redeemed.token, name, refreshToken: redeemed.refreshToken, attempt, connection, at: now)
        // Apple's clock may be ahead of ours, or say nonsense: then it was now.
        let authenticatedAt = redeemed.token.authTime.flatMap { (.distantPast...now).contains($0) ? $0 : nil } ?? now
        return AuthorizationCode(
            attempt, user: user, connection: connection.ownership, authenticatedAt: authenticatedAt, at: now)
    }

    private func redeem(
        _ code: String, for attempt: LoginAttempt, _ tenant: Tenant, _ connection: Connection, _ key: AppleKey, at now: Date,
        by deadline: ContinuousClock.Instant
    ) async throws -> (token: IDToken, refreshToken: String?) {
        let redirectURI = returnURL(tenant, connection)
        let tokens: AppleTokens
        do throws(AppleError) {
            tokens = try await apple.redeem(
                code: code, redirectURI: redirectURI, credentials: credentials(connection, key), at: now, by: deadline)
            lastUsed.note(.appleKey(key.id), owner: key.owner, at: now)
        } catch {
            // Apple does not use a code up when it refuses the client: another key of the connection may still redeem it.
            guard case .refused(.invalidClient) = error, let other = await standIn(for: key, of: connection, at: now) else { throw error }
            tokens = try await apple.redeem(
                code: code, redirectURI: redirectURI, credentials: credentials(connection, other), at: now, by: deadline)
            lastUsed.note(.appleKey(other.id), owner: other.owner, at: now)
            if other.state == .previous { await restore(other, insteadOf: key, tenant, at: now) }
        }
        return (try await verify(tokens.idToken, for: attempt, connection, at: now, by: deadline), tokens.refreshToken)
    }

    private func credentials(_ connection: Connection, _ key: AppleKey) -> AppleClientCredentials {
        AppleClientCredentials(
            teamID: connection.teamID, clientID: connection.servicesID, keyID: key.keyID, keyVersion: key.id.description
        ) { [keyring] in try ApplePrivateKey(pem: key.open(with: keyring)) }
    }

    /// The key to use in place of one that Apple refuses, as the database knows it now: the one that was promoted meanwhile, or,
    /// while it stands in, the one before.
    private func standIn(for refused: AppleKey, of connection: Connection, at now: Date) async -> AppleKey? {
        let signing = AppleKey.signing(for: connection.id, owner: connection.owner, at: now)
        let found = try? await OwnerDatabase(pool, owner: connection.owner).run(signing).map(AppleKey.init)
        return found?.first { $0.id != refused.id }
    }

    /// Makes the key that stood in the current one again. Should that fail, the next login tries.
    private func restore(_ previous: AppleKey, insteadOf refused: AppleKey, _ tenant: Tenant, at now: Date) async {
        do {
            guard try await AppleKey.restore(previous, insteadOf: refused, in: pool, at: now) else { return }
            logger.error(
                "Apple refuses the promoted key; the previous one signs again",
                metadata: ["tenant": "\(tenant.slug)", "key": "\(refused.id)"])
        } catch {
            logger.error("the previous Apple key could not be restored", metadata: ["tenant": "\(tenant.slug)", "cause": "\(error)"])
        }
    }

    private func verify(
        _ idToken: String, for attempt: LoginAttempt, _ connection: Connection, at now: Date, by deadline: ContinuousClock.Instant
    ) async throws -> IDToken {
        try await apple.verify(idToken, audiences: [connection.servicesID], nonce: attempt.appleNonce, at: now, by: deadline)
    }

    private func keep(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ attempt: LoginAttempt, _ connection: Connection, at now: Date
    ) async throws -> ID<User> {
        // While a relink window is open, whose user it takes over is settled first, in the same transaction.
        var statements = [
            Identity.keep(
                token, name, refreshToken: refreshToken, attempt: attempt, connection: connection, keyring: keyring, at: now)
        ]
        if let relink = Identity.relink(token, name, attempt: attempt, connection: connection, at: now) {
            statements.insert(relink, at: 0)
        }
        let database = OwnerDatabase(pool, tenant: attempt.tenant)
        let rows: [Rows]
        do {
            rows = try await database.run(statements)
        } catch let error as DatabaseError where error.kind == .connection {
            // A connection that broke is no reason to lose the name; done twice, this is as if done once.
            rows = try await database.run(statements)
        }
        guard let kept = try rows.last?.first({ try $0.get("id", as: ID<User>.self) })
        else { throw CallbackRefusal.userNotKept }
        return kept
    }

    private func postedForm(_ request: Request, upTo limit: Int) async throws -> Form {
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        else { throw ErrorPage.malformed }
        do { return try await Form(request.body, upTo: limit) } catch is Form.Refusal { throw ErrorPage.malformed }
    }
}

extension LoginAttempt {
    /// Whether Apple was told to answer here: each connection has one Return URL. An attempt whose connection changed meanwhile
    /// may come through either; the application is told of it further on.
    fileprivate func mayReturn(through door: Connection.Ownership, _ tenant: TenantConfiguration) -> Bool {
        tenant.connection?.id != connection || tenant.connection?.ownership == door
    }
}

/// What Apple posts to the Return URL.
private enum AppleAnswer {
    /// `user`, the name, comes on the very first authorization only.
    case code(String, idToken: String?, name: AppleUser?)
    /// The user pressed Cancel: the one error that Apple sends.
    case cancelled
    case other

    init(_ form: Form) {
        self =
            if let error = form["error"] {
                error == "user_cancelled_authorize" ? .cancelled : .other
            } else if let code = form["code"] {
                .code(code, idToken: form["id_token"], name: form["user"].flatMap(AppleUser.init(field:)))
            } else {
                .other
            }
    }
}
