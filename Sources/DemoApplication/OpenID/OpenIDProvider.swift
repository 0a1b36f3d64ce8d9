import AsyncHTTPClient
import Foundation
import JWTKit
import NIOCore
import NIOHTTP1

/// A tenant's sign-in, used like any OpenID Connect provider.
///
/// Nothing is cached. Three more requests per sign-in do not matter in a demo.
struct OpenIDProvider: Sendable {
    let issuer: String
    let clientID: String
    let clientSecret: String?
    let redirectURI: String
    let client: HTTPClient

    /// The addresses that the provider publishes (OpenID Connect Discovery, section 3).
    struct Metadata: Decodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case userInfoEndpoint = "userinfo_endpoint"
            case keys = "jwks_uri"
            case endSessionEndpoint = "end_session_endpoint"
        }

        var issuer: String
        var authorizationEndpoint: String
        var tokenEndpoint: String
        var userInfoEndpoint: String
        var keys: String
        var endSessionEndpoint: String
    }

    /// An error of the token endpoint (RFC 6749, section 5.2).
    private struct TokenError: Decodable {
        var error: String
    }

    /// Fetches the provider's endpoints. A document with another issuer is not the provider's (section 4.3).
    func discover() async throws -> Metadata {
        let metadata = try await fetch(HTTPClientRequest(url: "\(issuer)/.well-known/openid-configuration"), as: Metadata.self)
        guard metadata.issuer.isSame(as: issuer) else { throw Refusal.otherIssuer }
        return metadata
    }

    /// Returns the URL to which the browser is sent.
    func authorizationURL(for attempt: LoginAttempt, by metadata: Metadata) -> String {
        let query = formEncoded([
            ("response_type", "code"),
            ("client_id", clientID),
            ("redirect_uri", redirectURI),
            ("scope", "openid profile email"),
            ("state", attempt.state),
            ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge),
            ("code_challenge_method", "S256"),
        ])
        return "\(metadata.authorizationEndpoint)?\(query)"
    }

    /// Returns the URL to which the browser is sent at a sign-out (OpenID Connect RP-Initiated Logout, section 2).
    func logoutURL(_ idToken: String, returningTo uri: String, by metadata: Metadata) -> String {
        "\(metadata.endSessionEndpoint)?\(formEncoded([("id_token_hint", idToken), ("post_logout_redirect_uri", uri)]))"
    }

    /// Exchanges the code for tokens.
    func redeem(_ code: String, for attempt: LoginAttempt, by metadata: Metadata) async throws -> TokenSet {
        try await tokens(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI), ("code_verifier", attempt.verifier),
            ], by: metadata)
    }

    /// Exchanges a refresh token for tokens. The refresh token is then used up.
    func refresh(_ refreshToken: String, by metadata: Metadata) async throws -> TokenSet {
        try await tokens([("grant_type", "refresh_token"), ("refresh_token", refreshToken)], by: metadata)
    }

    /// Fetches the keys that sign the provider's tokens.
    func keys(by metadata: Metadata) async throws -> JWKS {
        try await fetch(HTTPClientRequest(url: metadata.keys), as: JWKS.self)
    }

    /// Fetches the name and the email address of the token's person.
    /// - Throws: ``Refusal/unexpectedAnswer(from:)`` if they belong to another person (OpenID Connect Core, 5.3.2).
    func userInfo(_ accessToken: String, subject: String, by metadata: Metadata) async throws -> UserInfo {
        var request = HTTPClientRequest(url: metadata.userInfoEndpoint)
        request.headers.add(name: "Authorization", value: "Bearer \(accessToken)")
        let userInfo = try await fetch(request, as: UserInfo.self)
        guard userInfo.subject.isSame(as: subject) else { throw Refusal.unexpectedAnswer(from: metadata.userInfoEndpoint) }
        return userInfo
    }

    private func tokens(_ fields: [(name: String, value: String)], by metadata: Metadata) async throws -> TokenSet {
        var fields = fields
        var request = HTTPClientRequest(url: metadata.tokenEndpoint)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let clientSecret {
            // RFC 6749, section 2.3.1: both values are form-encoded before they become user and password.
            let credentials = Data("\(formEncoded(clientID)):\(formEncoded(clientSecret))".utf8).base64EncodedString()
            request.headers.add(name: "Authorization", value: "Basic \(credentials)")
        } else {
            fields.append(("client_id", clientID))
        }
        request.body = .bytes(ByteBuffer(string: formEncoded(fields)))
        return try await fetch(request, as: TokenSet.self)
    }

    private func fetch<Answer: Decodable>(_ request: HTTPClientRequest, as answer: Answer.Type) async throws -> Answer {
        let (status, body) = try await client.answer(to: request)
        if status != .ok, let refusal = try? JSONDecoder().decode(TokenError.self, from: body) {
            throw Refusal.refused(code: refusal.error)
        }
        guard status == .ok, let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
            throw Refusal.unexpectedAnswer(from: request.url)
        }
        return answer
    }
}
