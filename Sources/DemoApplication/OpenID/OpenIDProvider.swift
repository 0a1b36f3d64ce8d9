import AsyncHTTPClient
import Foundation
import JWTKit
import NIOCore
import NIOHTTP1

/// A tenant's sign-in, spoken to as any OpenID Connect provider.
///
/// Nothing is cached: a person who signs in to see how it works can do with three requests more.
struct OpenIDProvider: Sendable {
    let issuer: String
    let clientID: String
    let clientSecret: String?
    let redirectURI: String
    let client: HTTPClient

    /// The addresses the provider publishes (OpenID Connect Discovery, section 3).
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

    /// Where the provider's endpoints are. A document that names another issuer is not the provider's (section 4.3).
    func discover() async throws -> Metadata {
        let metadata = try await fetch(HTTPClientRequest(url: "\(issuer)/.well-known/openid-configuration"), as: Metadata.self)
        guard metadata.issuer.isSame(as: issuer) else { throw Refusal.otherIssuer }
        return metadata
    }

    /// Where to send the browser.
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

    /// Where to send a browser whose person signs out (OpenID Connect RP-Initiated Logout, section 2).
    func logoutURL(_ idToken: String, returningTo uri: String, by metadata: Metadata) -> String {
        "\(metadata.endSessionEndpoint)?\(formEncoded([("id_token_hint", idToken), ("post_logout_redirect_uri", uri)]))"
    }

    /// Tokens for the code.
    func redeem(_ code: String, for attempt: LoginAttempt, by metadata: Metadata) async throws -> TokenSet {
        try await tokens(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI), ("code_verifier", attempt.verifier),
            ], by: metadata)
    }

    /// Tokens for a refresh token, which is used up by it.
    func refresh(_ refreshToken: String, by metadata: Metadata) async throws -> TokenSet {
        try await tokens([("grant_type", "refresh_token"), ("refresh_token", refreshToken)], by: metadata)
    }

    /// The keys that sign the provider's tokens.
    func keys(by metadata: Metadata) async throws -> JWKS {
        try await fetch(HTTPClientRequest(url: metadata.keys), as: JWKS.self)
    }

    /// Name and e-mail of the person the token is about.
    /// - Throws: ``Refusal/unexpectedAnswer(from:)``, when they are someone else's (OpenID Connect Core, 5.3.2).
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
            // RFC 6749, section 2.3.1: both are form-encoded before they become user and password.
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
