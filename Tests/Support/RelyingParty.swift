import Access
import Crypto
import Encoding
import Foundation
import JWTKit
import NIOHTTP1
import Postgres
import Sealing
import Server
import Tenancy
import Testing
import Web

/// An application that knows only Acme's issuer and its own registration. It reads the endpoints from discovery, and checks every id_token.
package struct RelyingParty: Sendable {
    package let platform: TestPlatform
    package let browser: TestBrowser
    package var request: TestBrowser.Request
    package let metadata: [String: any Sendable]

    /// - Parameter application: 0 is confidential, 1 public, 2 confidential and exempt from PKCE.
    package init(_ platform: TestPlatform, application: Int = 2) async throws {
        (self.platform, browser) = (platform, TestBrowser(platform))
        request = TestBrowser.Request(platform.acme, application: application)
        metadata = try await browser.get("\(platform.acme.issuer)/.well-known/openid-configuration").json
    }

    /// The result of a login: the token endpoint's response, and the claims of its id_token.
    package struct Login: Sendable {
        package let answer: TestBrowser.Answer
        package let idToken: [String: any Sendable]

        package var accessToken: String { answer.string("access_token") ?? "" }
        package var refreshToken: String { answer.string("refresh_token") ?? "" }
        package var subject: String? { idToken["sub"] as? String }
        package var authTime: Int { idToken["auth_time"] as? Int ?? 0 }
    }

    package func string(_ member: String) -> String { metadata[member] as? String ?? "" }
    package func list(_ member: String) -> [String] { metadata[member] as? [String] ?? [] }

    // MARK: A login

    /// Sends the authorization request, with parameters changed, added or removed.
    package func authorize(_ changes: [String: String?] = [:], byPost: Bool = false) async throws -> TestBrowser.Answer {
        let endpoint = string("authorization_endpoint")
        let url = request.authorizeURL(changing: withoutPKCE(changes), at: endpoint)
        guard byPost else { return try await browser.get(url) }
        return try await browser.send(
            "POST", endpoint, headers: [("Content-Type", "application/x-www-form-urlencoded")], body: String(url.split(separator: "?")[1]))
    }

    /// The plan's own requests use PKCE only where they test it.
    private func withoutPKCE(_ changes: [String: String?]) -> [String: String?] {
        guard request.application.client_id == platform.acme.applications[2].client_id else { return changes }
        return ["code_challenge": nil, "code_challenge_method": nil].merging(changes) { $1 }
    }

    /// The redirect after an authorization request and the person's consent at Apple.
    package func signIn(_ changes: [String: String?] = [:], byPost: Bool = false, person: String = "new") async throws -> TestBrowser.Answer
    {
        try await browser.callback(try await browser.atApple(try await authorize(changes, byPost: byPost), person: person))
    }

    /// A complete login.
    package func login(_ changes: [String: String?] = [:], byPost: Bool = false, person: String = "new") async throws -> Login {
        let back = try await signIn(changes, byPost: byPost, person: person)
        #expect(back.status == 303)
        #expect(back["state"] == request.state)
        #expect(back["iss"] == string("issuer"))
        let nonce = changes.keys.contains("nonce") ? changes["nonce"]! : request.nonce
        return try await login(
            code: try #require(back["code"], "\(back.location ?? back.body)"), nonce: nonce,
            verifier: changes["code_challenge"] == request.challenge ? request.verifier : nil)
    }

    package func login(code: String, nonce: String?, verifier: String? = nil) async throws -> Login {
        let answer = try await redeem(code, verifier: verifier)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.string("token_type") == "Bearer")
        #expect(answer.header("Cache-Control") == "no-store")
        let idToken = try await check(answer.string("id_token"), accessToken: answer.string("access_token") ?? "", nonce: nonce)
        return Login(answer: answer, idToken: idToken)
    }

    /// Redeems a code by `client_secret_basic`, or by `client_secret_post`.
    package func redeem(_ code: String, verifier: String? = nil, posts: Bool = false) async throws -> TestBrowser.Answer {
        var form = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI)]
        if let verifier { form.append(("code_verifier", verifier)) }
        return try await token(form, posts: posts)
    }

    package func token(_ form: [(String, String)], posts: Bool = false) async throws -> TestBrowser.Answer {
        try await call("token_endpoint", form, posts: posts)
    }

    /// Calls an endpoint for applications.
    package func call(_ endpoint: String, _ form: [(String, String)], posts: Bool = false) async throws -> TestBrowser.Answer {
        let (id, secret) = (request.application.client_id, request.application.client_secret)
        guard let secret, !posts else {
            let credentials = [("client_id", id)] + (secret.map { [("client_secret", $0)] } ?? [])
            return try await browser.post(string(endpoint), form: form + credentials)
        }
        let basic = Data("\(Form.encode(id)):\(Form.encode(secret))".utf8).base64EncodedString()
        return try await browser.post(string(endpoint), form: form, headers: [("Authorization", "Basic \(basic)")])
    }

    package func userInfo(_ accessToken: String) async throws -> TestBrowser.Answer {
        try await browser.get(string("userinfo_endpoint"), headers: [("Authorization", "Bearer \(accessToken)")])
    }

    // MARK: The id_token

    private struct Anything: JWTPayload {
        func verify(using _: some JWTAlgorithm) {}
    }

    /// Checks an id_token (OpenID Connect Core, sections 2, 3.1.3.6 and 3.1.3.7).
    package func check(_ token: String?, accessToken: String, nonce: String?) async throws -> [String: any Sendable] {
        let token = try #require(token)
        let header = try jwtHeader(token)
        let jwks = try await browser.get(string("jwks_uri"))
        let keys = try #require(jwks.json["keys"] as? [[String: String]])
        let key = try #require(keys.first { $0["kid"] == header["kid"] })
        #expect(key["alg"] == header["alg"])
        #expect(list("id_token_signing_alg_values_supported").contains(try #require(header["alg"])))
        _ = try await JWTKeyCollection().add(jwksJSON: jwks.body).verify(token, as: Anything.self)

        let claims = try claims(of: token)
        let now = Int(Date().timeIntervalSince1970)
        #expect(claims["iss"] as? String == string("issuer"))
        #expect(claims["aud"] as? String == request.application.client_id)
        #expect((claims["sub"] as? String)?.isEmpty == false)
        #expect(claims["nonce"] as? String == nonce)
        #expect(try #require(claims["exp"] as? Int) > now)
        #expect((now - 300...now).contains(try #require(claims["iat"] as? Int)))
        #expect(try #require(claims["auth_time"] as? Int) <= now)
        let half = Array(SHA256.hash(data: Data(accessToken.utf8)).prefix(16)).base64URL
        #expect(claims["at_hash"] as? String == half)
        return claims
    }

    // MARK: Settings of the tests

    package func setSigningAlgorithm(_ algorithm: String) async throws {
        let id = ID<Tenancy.Application>(request.application.client_id)
        _ = try await platform.ownerPool.run("UPDATE application SET signing_algorithm = \(algorithm) WHERE id = \(id)")
        platform.installation.directory.forgetAll(isFresh: true)
    }

    /// At the next login, Apple reports an authentication this many seconds ago. Returns its time.
    package func setAppleAuthentication(secondsAgo: Int) async throws -> Int {
        let time = Int(Date().timeIntervalSince1970) - secondsAgo
        try await platform.simulator.fault([
            "endpoint": "token", "fault": "claim", "claim": "auth_time", "value": time, "client_id": platform.own.servicesID, "times": 1,
        ])
        return time
    }
}
