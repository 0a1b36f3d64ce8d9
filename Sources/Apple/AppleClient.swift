package import AsyncHTTPClient
import Encoding
package import Foundation
package import Logging
import NIOCore

/// The client for Apple's Sign in with Apple endpoints. It builds authorize URLs, calls token and revoke, and
/// verifies id_tokens.
///
/// The process has one client. It stores Apple's keys and the current client secrets.
package final class AppleClient: Sendable {
    private let settings: AppleSettings
    let wire: AppleWire
    private let keys: AppleKeySet
    let secrets: ClientSecretCache

    /// The time limit of a call.
    package var timeout: Duration { settings.timeout }
    /// The number of calls in progress and of calls that wait.
    package var load: AppleLoad { wire.places.load }

    /// - Parameter http: A client made with `makeHTTP`. Its owner shuts it down.
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

    /// The HTTP client for Apple. All its connections are on one event loop.
    ///
    /// With several loops, the end of a request with a body passes through the request's own loop before the pool learns that the connection
    /// is free. If the connection is closed in between, async-http-client 1.37 ends the process.
    package static func makeHTTP(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup.any()), configuration: configuration)
    }

    /// The required configuration of the HTTP client for Apple.
    ///
    /// It follows no redirect, because a redirect would carry a client secret to its target. It does not retry a refused
    /// connection, because a login would wait for the whole connection timeout and get the same error. Each call that has a
    /// place has a connection. The one fetch of the keys needs no place and also has a connection. The HTTP client has no second
    /// queue, because such a queue would not separate tenants.
    package static func httpConfiguration(for settings: AppleSettings) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        // Nothing collects traces. The library would still write the attributes of each call.
        configuration.tracing.tracer = nil
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.concurrency + 1
        // "Debug" is the library's name for the only hook that gets a new connection.
        configuration.http1_1ConnectionDebugInitializer = OneWrite.install
        configuration.http2ConnectionDebugInitializer = OneWrite.install
        return configuration
    }
}

// MARK: Authorize

extension AppleClient {
    /// The data that an application may request from a person.
    package enum Scope: String, Sendable {
        case name
        case email
    }

    /// Returns the authorize URL for the browser (Apple: "Request an authorization to the Sign in with Apple server").
    ///
    /// The response is always a form POST, because Apple requires this as soon as there is a scope. It contains an id_token
    /// besides the code, because Apple sends the name once, in the same POST. The name must not get lost when the token endpoint
    /// then does not answer.
    package func authorizeURL(
        clientID: String, redirectURI: String, state: String, nonce: String, scopes: [Scope] = [.name, .email]
    ) -> String {
        let scope = scopes.map(\.rawValue).joined(separator: " ")
        let query = Form.encode([
            "client_id": clientID, "redirect_uri": redirectURI, "response_type": "code id_token", "response_mode": "form_post",
            "scope": scope.isEmpty ? nil : scope, "state": state, "nonce": nonce,
        ])
        return "\(settings.baseURL)/auth/authorize?\(query)"
    }
}

// MARK: Token

extension AppleClient {
    /// Redeems an authorization code. Apple allows this once, within 5 minutes.
    ///
    /// - Parameters:
    ///   - redirectURI: The value that authorize received; nil for the code of a native application.
    ///   - deadline: The caller's own deadline, if it is before the time limit of a call.
    package func redeem(
        code: String, redirectURI: String?, credentials: AppleClientCredentials, at now: Date,
        by deadline: ContinuousClock.Instant? = nil
    ) async throws(AppleError) -> AppleTokens {
        let answer = try await wire.post(
            "/auth/token",
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "client_id": credentials.clientID,
                "client_secret": try await secrets.secret(for: credentials, at: now),
            ], of: credentials.share, by: deadline)
        try Self.requireSuccess(answer)
        guard let tokens = AppleTokens(json: answer.body) else { throw .nonsense("a token response without tokens") }
        return tokens
    }
}

// MARK: Probe

extension AppleClient {
    /// Checks whether Apple accepts the credentials, by redeeming a code that does not exist.
    ///
    /// Apple checks the client first, so `invalid_grant` means that it accepted the client. The probe uses nothing up.
    ///
    /// - Throws: An error if Apple gave no such response; `unsigned` if the key cannot sign.
    package func probe(_ credentials: AppleClientCredentials, at now: Date) async throws(AppleError) -> AppleProbe {
        let secret: String
        do {
            // Always a new secret, because the probe also checks that the key can sign.
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
    /// The kind of token to revoke.
    package enum TokenHint: String, Sendable {
        case refreshToken = "refresh_token"
        case accessToken = "access_token"
    }

    /// Ends a user's consent at Apple. App Review 5.1.1(v) requires this when an account is deleted.
    ///
    /// Revoking a token that is already invalid succeeds.
    /// - Parameter credentials: They contain the client ID that received the token.
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

    /// Throws the error of a response whose status is not 200.
    static func requireSuccess(_ answer: AppleWire.Answer) throws(AppleError) {
        struct ErrorAnswer: Decodable {
            let error: String
        }
        switch answer.status {
        case 200: return
        case 400:
            guard let refusal = try? JSONDecoder().decode(ErrorAnswer.self, from: Data(answer.body)) else {
                throw .nonsense("an error response without an error code")
            }
            throw .refused(OAuthErrorCode(rawValue: refusal.error) ?? .other)
        default: throw .unavailable(status: answer.status)
        }
    }
}

// MARK: id_token

extension AppleClient {
    /// Fetches Apple's keys ahead of need, for example while the person is still at Apple. It does not wait for them.
    package func prepareToVerify(at now: Date) {
        keys.prepare(at: now)
    }

    /// Verifies an id_token by all of Apple's rules, in this order: form, algorithm, key, signature, claims.
    ///
    /// It makes no call if it has the key. Otherwise, all callers wait for one fetch together.
    /// - Parameters:
    ///   - audiences: The connection's own Services ID and bundle IDs.
    ///   - nonce: The nonce sent to authorize; nil if there was none, as in the response to a refresh.
    ///   - nonceForm: Whether the token may contain the SHA-256 of the nonce instead.
    ///   - deadline: The latest time to wait for Apple's keys. Afterwards, only the available keys are used.
    /// - Throws: `untrusted` for a token that breaks a rule; any other error if Apple's keys are unavailable.
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

    /// Verifies Apple's signature on a JWS and returns its content.
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
    /// - Throws: `untrusted` for a notification that breaks a rule; any other error if Apple's keys are unavailable.
    package func verifyNotification(_ payload: String, at now: Date) async throws(AppleError) -> AppleNotification {
        try await read(payload, at: now) { payload in
            let notification = try AppleNotification(payload: payload)
            try notification.check(issuers: settings.issuers, at: now)
            return notification
        }
    }
}
