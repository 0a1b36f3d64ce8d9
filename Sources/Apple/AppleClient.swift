package import AsyncHTTPClient
package import Foundation
package import Logging
import NIOCore

/// Our client of Apple's Sign in with Apple endpoints: authorize URL, token, revoke, and the check of id_tokens.
///
/// One for the whole process: it holds Apple's keys and the client secrets in use.
package final class AppleClient: Sendable {
    private let settings: AppleSettings
    let wire: AppleWire
    private let keys: AppleKeySet
    let secrets: ClientSecretCache

    /// How long a call may take.
    package var timeout: Duration { settings.timeout }
    /// How many calls are in progress and wait.
    package var load: AppleLoad { wire.places.load }

    /// - Parameter http: A client made with `httpConfiguration(for:)`. Its owner shuts it down.
    package init(_ settings: AppleSettings, http: HTTPClient, logger: Logger) {
        self.settings = settings
        let wire = AppleWire(
            baseURL: settings.baseURL, timeout: settings.timeout, places: ApplePlaces(settings.concurrency), patience: settings.patience,
            http: http, logger: logger)
        self.wire = wire
        keys = AppleKeySet(
            fetchBudget: settings.keysFetchBudget, refetchInterval: settings.keysRefetchInterval, maximumAge: settings.keysMaximumAge,
            logger: logger
        ) { () async throws(AppleError) in
            let answer = try await wire.get("/auth/keys")
            guard answer.status == 200 else { throw .unavailable(status: answer.status) }
            return answer.body
        }
        secrets = ClientSecretCache(audience: settings.audience)
    }

    /// How the HTTP client for Apple has to be set up. A redirect is never followed: it would carry a client secret to
    /// wherever it points. A refused connection is not tried again behind our back: a login would wait out the whole
    /// connection timeout for the same error. Each call that has a place has a connection, and so has the one fetch of the keys,
    /// which needs no place. A second queue in the HTTP client would know nothing of tenants.
    package static func httpConfiguration(for settings: AppleSettings) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.concurrency + 1
        return configuration
    }
}

// MARK: Authorize

extension AppleClient {
    /// What an application may ask of a person.
    package enum Scope: String, Sendable {
        case name
        case email
    }

    /// The URL that a browser is sent to, to sign in (Apple: "Request an authorization to the Sign in with Apple server").
    ///
    /// The answer is always a form POST, which Apple demands as soon as there is a scope. It is asked to carry an id_token beside
    /// the code: the name comes in the same POST, once, and must not be lost when the token endpoint then does not answer.
    package func authorizeURL(
        clientID: String, redirectURI: String, state: String, nonce: String, scopes: [Scope] = [.name, .email]
    ) -> String {
        let scope = scopes.map(\.rawValue).joined(separator: " ")
        let query = percentEncoded([
            "client_id": clientID, "redirect_uri": redirectURI, "response_type": "code id_token", "response_mode": "form_post",
            "scope": scope.isEmpty ? nil : scope, "state": state, "nonce": nonce,
        ])
        return "\(settings.baseURL)/auth/authorize?\(query)"
    }
}

// MARK: Token

extension AppleClient {
    /// Redeems an authorization code, which Apple allows once and within five minutes.
    ///
    /// - Parameters:
    ///   - redirectURI: The one sent to authorize; nil for a code that a native application got.
    ///   - deadline: When the caller's time is up, if that is before the time limit of a call.
    package func redeem(
        code: String, redirectURI: String?, credentials: AppleClientCredentials, at now: Date,
        by deadline: ContinuousClock.Instant? = nil
    ) async throws(AppleError) -> AppleTokens {
        try await token(
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "client_id": credentials.clientID,
                "client_secret": try await secrets.secret(for: credentials, at: now),
            ], of: credentials.share, by: deadline)
    }

    /// Asks whether a user's refresh token still stands. At most once a day for each user, or Apple may throttle.
    package func refresh(
        _ refreshToken: String, credentials: AppleClientCredentials, at now: Date
    ) async throws(AppleError) -> AppleTokens {
        try await token(
            [
                "grant_type": "refresh_token", "refresh_token": refreshToken, "client_id": credentials.clientID,
                "client_secret": try await secrets.secret(for: credentials, at: now),
            ], of: credentials.share)
    }

    private func token(
        _ form: KeyValuePairs<String, String?>, of share: AppleShare, by deadline: ContinuousClock.Instant? = nil
    ) async throws(AppleError) -> AppleTokens {
        let answer = try await wire.post("/auth/token", form, of: share, by: deadline)
        try Self.requireSuccess(answer)
        guard let tokens = try? JSONDecoder().decode(AppleTokens.self, from: Data(answer.body)) else {
            throw .nonsense("a token answer without tokens")
        }
        return tokens
    }
}

// MARK: Probe

extension AppleClient {
    /// Asks whether Apple accepts credentials, by redeeming a code that does not exist: Apple looks at the client first, so
    /// `invalid_grant` means that the client was accepted. Nothing is used up by it.
    ///
    /// - Throws: when Apple gave no such answer; `unsigned` when the key signs nothing.
    package func probe(_ credentials: AppleClientCredentials, at now: Date) async throws(AppleError) -> AppleProbe {
        let secret: String
        do {
            // Signed afresh: that the key signs is a part of what is asked.
            secret = try await ClientSecret.mint(for: credentials, audience: settings.audience, at: now)
        } catch {
            throw .unsigned
        }
        let answer = try await wire.post(
            "/auth/token",
            [
                "grant_type": "authorization_code", "code": AppleProbe.madeUpCode, "client_id": credentials.clientID,
                "client_secret": secret,
            ], of: credentials.share)
        do throws(AppleError) {
            try Self.requireSuccess(answer)
        } catch {
            guard case .refused(let code) = error else { throw error }
            return AppleProbe(refusal: code, date: AppleProbe.date(answer.date))
        }
        throw .nonsense("a made-up code was redeemed")
    }
}

// MARK: Revoke

extension AppleClient {
    /// The kind of a token that is to be revoked.
    package enum TokenHint: String, Sendable {
        case refreshToken = "refresh_token"
        case accessToken = "access_token"
    }

    /// Ends a user's consent at Apple (App Review 5.1.1(v) requires it when an account is deleted). Revoking what is
    /// already invalid succeeds.
    ///
    /// - Parameter credentials: With the client id that the token was given to.
    package func revoke(
        token: String, hint: TokenHint = .refreshToken, credentials: AppleClientCredentials, at now: Date
    ) async throws(AppleError) {
        let answer = try await wire.post(
            "/auth/revoke",
            [
                "token": token, "token_type_hint": hint.rawValue, "client_id": credentials.clientID,
                "client_secret": try await secrets.secret(for: credentials, at: now),
            ], of: credentials.share)
        try Self.requireSuccess(answer)
    }

    /// Turns everything but status 200 into its error.
    static func requireSuccess(_ answer: AppleWire.Answer) throws(AppleError) {
        struct ErrorAnswer: Decodable {
            let error: String
        }
        switch answer.status {
        case 200: return
        case 400:
            guard let refusal = try? JSONDecoder().decode(ErrorAnswer.self, from: Data(answer.body)) else {
                throw .nonsense("a refusal without an error code")
            }
            throw .refused(OAuthErrorCode(rawValue: refusal.error) ?? .other)
        default: throw .unavailable(status: answer.status)
        }
    }
}

// MARK: id_token

extension AppleClient {
    /// Has Apple's keys fetched ahead of need, without waiting for them: while the person is still at Apple, say.
    package func prepareToVerify(at now: Date) {
        keys.prepare(at: now)
    }

    /// Verifies an id_token by every rule Apple gives, in this order: form, algorithm, key, signature, claims.
    ///
    /// With Apple's keys at hand it makes no call; otherwise it waits for them, all callers together for one fetch.
    /// - Parameters:
    ///   - audiences: The connection's own Services ID and bundle IDs.
    ///   - nonce: What was sent to authorize; nil when nothing was, as in the answer to a refresh.
    ///   - nonceForm: Whether the token may carry the nonce's SHA-256 in its place.
    ///   - deadline: Until when it may wait for Apple's keys; past, only those at hand are used.
    /// - Throws: `untrusted` for a token that breaks a rule; any other error if Apple's keys cannot be had.
    package func verify(
        _ idToken: String, audiences: Set<String>, nonce: String?, nonceForm: IDToken.NonceForm = .exact, at now: Date,
        by deadline: ContinuousClock.Instant? = nil
    ) async throws(AppleError) -> IDToken {
        try await read(idToken, at: now, by: deadline) { payload in
            let token = try IDToken(payload: payload)
            try token.check(issuers: settings.issuers, audiences: audiences, at: now)
            try token.check(nonce: nonce, form: nonceForm)
            return token
        }
    }

    /// What a JWS of Apple's says, once Apple's signature is known to be on it.
    private func read<Content>(
        _ jws: String, at now: Date, by deadline: ContinuousClock.Instant? = nil, _ content: ([UInt8]) throws -> Content
    ) async throws(AppleError) -> Content {
        do {
            let jws = try AppleJWS(jws)
            guard let key = try await keys.key(jws.keyID, at: now, by: deadline) else { throw IDTokenRefusal.unknownKey }
            return try content(try jws.payload(verifiedBy: key))
        } catch let refusal as IDTokenRefusal {
            throw .untrusted(refusal)
        } catch let error as AppleError {
            throw error
        } catch {
            throw .untrusted(.malformed)
        }
    }
}

// MARK: Notifications

extension AppleClient {
    /// Verifies a notification: form, algorithm, key, signature, issuer, age.
    ///
    /// - Parameter payload: The JWS that Apple posted as `payload`.
    /// - Throws: `untrusted` for one that breaks a rule; any other error if Apple's keys cannot be had.
    package func verifyNotification(_ payload: String, at now: Date) async throws(AppleError) -> AppleNotification {
        try await read(payload, at: now) { payload in
            let notification = try AppleNotification(payload: payload)
            try notification.check(issuers: settings.issuers, at: now)
            return notification
        }
    }
}
