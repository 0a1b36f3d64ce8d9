@testable import Accounts
@testable import Encoding
import Foundation
import JWTKit
import NIOHTTP1
import Postgres
import Sealing
import Server
@testable import Sessions
@testable import SignIn
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

/// The effect of an application's settings on logins.
@Suite("Application settings")
struct ApplicationSettingsTests {
    /// Registers an application at Acme, and returns the request that a browser needs to sign in to it.
    private static func register(
        _ platform: TestPlatform, _ changes: [String: any Sendable] = [:]
    ) async throws -> (path: String, request: TestBrowser.Request) {
        let body: [String: any Sendable] = ["name": "New", "kind": "web", "redirect_uris": [TestPlatform.redirectURI]]
        let answer = try await platform.call("POST", "/tenants/acme/applications", body.merging(changes) { $1 })
        let id = try #require(answer.string("id"), "\(answer.body)")
        var request = TestBrowser.Request(platform.acme)
        request.application = try application(id, answer.string("client_secret"))
        // Logins know the application when the notification has arrived.
        try await eventually("the application is known") { [request] in
            try await TestBrowser(platform).authorize(request).status == 302
        }
        return ("/tenants/acme/applications/\(id)", request)
    }

    private static func application(_ id: String, _ secret: String?) throws -> SeedResult.App {
        var json: [String: Any] = ["client_id": id, "name": "New", "redirect_uris": [TestPlatform.redirectURI]]
        json["client_secret"] = secret
        return try JSONDecoder().decode(SeedResult.App.self, from: JSONSerialization.data(withJSONObject: json))
    }

    // MARK: Secrets

    /// Whether the token endpoint accepts a secret. A made-up refresh token then gets `invalid_grant`.
    private static func isLetIn(_ secret: String?, _ request: TestBrowser.Request, _ browser: TestBrowser) async throws -> Bool {
        var request = request
        request.application = try application(request.application.client_id, secret)
        let answer = try await browser.refresh("x", request)
        #expect(answer.isOAuthError(400, "invalid_grant") || answer.isOAuthError(401, "invalid_client"), "\(answer.body)")
        return answer.status == 400
    }

    @Test("a rolled secret and its successor are both valid in every process; after its revocation, the old one is not")
    func rolledSecret() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let here = TestBrowser(platform)
                let there = TestBrowser(publicURL: TestPlatform.publicURL, address: server.address)
                let (path, request) = try await Self.register(platform)
                let old = try #require(request.application.client_secret)
                let rolled = try await platform.call("POST", "\(path)/secrets/roll")
                let new = try #require(rolled.string("client_secret"))
                for browser in [here, there] {
                    try await eventually("the new one is accepted") { try await Self.isLetIn(new, request, browser) }
                    #expect(try await Self.isLetIn(old, request, browser))
                    #expect(try await !Self.isLetIn(old + "x", request, browser))
                }
                let secrets = try await platform.call("GET", "\(path)/secrets").json["data"] as? [[String: any Sendable]]
                let oldID = try #require(secrets?.first { $0["expires_at"] != nil }?["id"] as? String)
                #expect(try await platform.call("DELETE", "\(path)/secrets/\(oldID)").status == 204)
                for browser in [here, there] {
                    try await eventually("the old one is refused") { try await !Self.isLetIn(old, request, browser) }
                    #expect(try await Self.isLetIn(new, request, browser))
                }
            }
        }
    }

    @Test("at the end of its overlap, a rolled secret expires automatically")
    func overlapEnds() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let (path, request) = try await Self.register(platform)
            let old = try #require(request.application.client_secret)
            let new = try #require(try await platform.call("POST", "\(path)/secrets/roll").string("client_secret"))
            try await eventually("both serve") {
                let (isOld, isNew) = (try await Self.isLetIn(old, request, browser), try await Self.isLetIn(new, request, browser))
                return isOld && isNew
            }
            // The end time that the roll wrote: in an hour, and a moment ago.
            for (end, serves) in [("now() + interval '1 hour'", true), ("now() - interval '1 millisecond'", false)] {
                _ = try await platform.ownerPool.run(
                    SQL(unsafe: "UPDATE application_secret SET expires_at = \(end) WHERE expires_at IS NOT NULL"))
                try await eventually("the old one is accepted: \(serves)") { try await Self.isLetIn(old, request, browser) == serves }
                #expect(try await Self.isLetIn(new, request, browser))
            }
        }
    }

    @Test("without an overlap, the old one expires with the roll")
    func noOverlap() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let (path, request) = try await Self.register(platform)
            let rolled = try await platform.call("POST", "\(path)/secrets/roll", ["overlap_seconds": 0])
            try await eventually("the new one is accepted") { try await Self.isLetIn(rolled.string("client_secret"), request, browser) }
            #expect(try await !Self.isLetIn(request.application.client_secret, request, browser))
        }
    }

    // MARK: Lifetimes

    @Test("access tokens and sessions last as long as the application sets, and sessions may be idle as long")
    func lifetimes() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let (path, request) = try await Self.register(
                platform, ["access_token_seconds": 120, "session_seconds": 7200, "idle_seconds": 600])
            let tokens = try await browser.tokens(request)
            #expect(tokens["expires_in"] as? Int == 120)
            let access = try claims(of: tokens["access_token"] as? String)
            #expect(try #require(access["exp"] as? Int) - (try #require(access["iat"] as? Int)) == 120)
            let lasts = try await platform.ownerPool.run(
                "SELECT extract(epoch FROM expires_at - created_at)::bigint AS seconds FROM session")
            #expect(try lasts[0].get("seconds", as: Int.self) == 7200)

            func idle(_ seconds: Int) async throws {
                _ = try await platform.ownerPool.run(
                    SQL(unsafe: "UPDATE session SET refreshed_at = refreshed_at - interval '\(seconds) seconds'"))
            }
            try await idle(590)
            let refreshed = try await browser.refresh(tokens["refresh_token"] as! String, request)
            #expect(refreshed.status == 200, "\(refreshed.body)")
            #expect(refreshed.json["expires_in"] as? Int == 120)
            try await idle(601)
            let token = try #require(refreshed.string("refresh_token"))
            #expect(try await browser.refresh(token, request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("audit_event", where: "action LIKE 'session.%'") == 0)

            // A change applies to existing sessions.
            #expect(try await platform.call("PATCH", path, ["idle_seconds": 7200]).status == 200)
            try await eventually("the session may be idle longer") { try await browser.refresh(token, request).status == 200 }
        }
    }

    // MARK: Signing

    private static func keys(_ platform: TestPlatform, at address: String? = nil) async throws -> [[String: String]] {
        let base = address.map { "\($0)/t/acme" } ?? platform.acme.issuer
        return try await TestBrowser(platform).get("\(base)/oauth2/jwks").json["keys"] as? [[String: String]] ?? []
    }

    private struct Signed: JWTPayload {
        let iss: IssuerClaim
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    @Test("an RS256 application's tokens have an RSA signature, those of others ES256; the JWKS has both keys")
    func rs256() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let browser = TestBrowser(platform)
                #expect(try await Self.keys(platform).map { $0["alg"] } == ["ES256", "ES256"])
                let (path, request) = try await Self.register(platform, ["signing_algorithm": "RS256"])
                let keys = try await Self.keys(platform)
                #expect(Set(keys.map { $0["alg"] }) == ["ES256", "RS256"])
                let rsa = try #require(keys.first { $0["kty"] == "RSA" })
                #expect(Set(rsa.keys) == ["kty", "use", "alg", "kid", "n", "e"])
                #expect(rsa["use"] == "sig")
                #expect([UInt8](base64URL: rsa["n"]!)?.count == 256)
                #expect(rsa["e"] == "AQAB")
                try await eventually("the other process publishes the same keys") {
                    Set(try await Self.keys(platform, at: server.address)) == Set(keys)
                }

                let tokens = try await browser.tokens(request)
                let refreshed = try await browser.refresh(tokens["refresh_token"] as! String, request)
                let published = try await JWTKeyCollection().add(
                    jwks: JSONDecoder().decode(JWKS.self, from: JSONSerialization.data(withJSONObject: ["keys": [rsa]])))
                for token in [tokens["id_token"] as? String, tokens["access_token"] as? String, refreshed.string("access_token")] {
                    let header = try jwtHeader(token)
                    #expect(header["alg"] == "RS256")
                    #expect(header["kid"] == rsa["kid"])
                    // Verify with only the published key, as a library does.
                    let signed = try await published.verify(try #require(token), as: Signed.self)
                    #expect(signed.iss.value == platform.acme.issuer)
                }
                for address in [platform.address, server.address] {
                    let answer = try await browser.get(
                        "\(address)/t/acme/oauth2/userinfo", headers: [("Authorization", "Bearer \(tokens["access_token"] as! String)")])
                    #expect(answer.status == 200)
                }
                let others = try await browser.tokens(.init(platform.acme))
                for token in ["id_token", "access_token"] { #expect(try jwtHeader(others[token] as? String)["alg"] == "ES256") }

                // After the change back, the next tokens of the same session have the old algorithm, too.
                #expect(try await platform.call("PATCH", path, ["signing_algorithm": NSNull()]).string("signing_algorithm") == "ES256")
                try await eventually("it signs with ES256") {
                    try jwtHeader(try await browser.tokens(request)["id_token"] as? String)["alg"] == "ES256"
                }
                #expect(try await browser.userInfo(tokens["access_token"] as? String, of: platform.acme).status == 200)
                #expect(try await platform.count("signing_key") == 4)
            }
        }
    }

    @Test("only one RSA key is made, for any number of concurrent first logins in any process")
    func firstRSAKey() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let id = platform.acme.applications[0].client_id
                let browser = TestBrowser(platform)
                // A change over REST would have made the key.
                _ = try await platform.ownerPool.run("UPDATE application SET signing_algorithm = 'RS256'")
                platform.installation.directory.forgetAll(isFresh: true)
                let request = TestBrowser.Request(platform.acme)
                #expect(request.application.client_id == id)
                var codes: [String] = []
                for _ in 0..<4 { codes.append(try await browser.code(request)) }
                let tokens = try await withThrowingTaskGroup(of: String?.self) { tasks in
                    for (number, code) in codes.enumerated() {
                        tasks.addTask {
                            number.isMultiple(of: 2)
                                ? try await browser.redeem(code, request).string("id_token")
                                : try await server.redeem(code, request, browser).string("id_token")
                        }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                let headers = try tokens.map(jwtHeader).filter { $0["alg"] == "RS256" }
                #expect(headers.count == 4)
                #expect(Set(headers.map { $0["kid"] }).count == 1)
                #expect(try await platform.count("signing_key", where: "algorithm = 'RS256' AND state = 'current'") == 1)
                #expect(try await platform.count("signing_key", where: "algorithm = 'RS256'") == 2)
            }
        }
    }

    // MARK: Kind

    @Test("a machine gets a page for any sign-in request")
    func machine() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("POST", "/tenants/acme/applications", ["name": "Job", "kind": "machine"])
            var request = TestBrowser.Request(platform.acme)
            request.application = try Self.application(try #require(answer.string("id")), answer.string("client_secret"))
            let browser = TestBrowser(platform)
            for path in ["\(platform.acme.issuer)/oauth2/authorize", "\(TestPlatform.publicURL)/auth/apple/authorize"] {
                let url = request.authorizeURL(changing: [:], at: path)
                try await eventually("the page names the reason") { try await browser.get(url).body.contains("does not support sign-in") }
                #expect(try await browser.get(url).isPage(400))
            }
            // Its secret is valid nevertheless.
            #expect(try await browser.refresh("x", request).isOAuthError(400, "unauthorized_client"))
        }
    }

    // MARK: Deletion

    @Test("deleting an application ends its logins, tokens and sessions; users and usage stay, and others are unaffected")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let (path, request) = try await Self.register(platform)
            let tokens = try await browser.tokens(request, person: "Grace Hopper")
            let other = try await browser.tokens(.init(platform.acme), person: "Grace Hopper")
            let code = try await browser.code(request)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            #expect(try await platform.call("DELETE", path).status == 204)
            try await eventually("nobody can sign in to it") { try await browser.authorize(request).isPage(400) }
            // A login that started before returns from Apple. It gets no redirect to the deleted application.
            #expect(try await browser.callback(form).isPage(400))
            #expect(try await browser.redeem(code, request).isOAuthError(401, "invalid_client"))
            #expect(try await browser.refresh(tokens["refresh_token"] as! String, request).isOAuthError(401, "invalid_client"))
            #expect(try await browser.userInfo(tokens["access_token"] as? String, of: platform.acme).isOAuthError(401, "invalid_token"))
            #expect(try await platform.count("session", where: "ended_reason = 'revoked'") == 1)
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
            #expect(try await platform.countBilled() == 2)

            #expect(try await browser.userInfo(other["access_token"] as? String, of: platform.acme).status == 200)
            let refreshed = try await browser.refresh(other["refresh_token"] as! String, .init(platform.acme))
            #expect(refreshed.status == 200)
            let again = try await browser.tokens(.init(platform.acme), person: "Grace Hopper")
            #expect(
                try claims(of: again["id_token"] as? String)["sub"] as? String == claims(of: tokens["id_token"] as? String)["sub"]
                    as? String)
        }
    }
}
