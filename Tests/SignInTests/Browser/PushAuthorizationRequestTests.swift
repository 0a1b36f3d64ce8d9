import Access
import Encoding
import Foundation
import NIOHTTP1
import Sealing
import Server
@testable import SignIn
import Tenancy
import TestSupport
import Testing

@Suite("Push authorization request")
struct PushAuthorizationRequestTests {
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    private struct Stage: Sendable {
        let platform: TestPlatform
        let browser: TestBrowser
        var request: TestBrowser.Request

        init(_ platform: TestPlatform, application: Int = 0) {
            (self.platform, browser) = (platform, TestBrowser(platform))
            request = TestBrowser.Request(platform.acme, application: application)
        }

        func push(_ changes: [String: String?] = [:], headers: [(String, String)] = []) async throws -> TestBrowser.Answer {
            var form = request.parameters.filter { changes[$0.0] == nil }
            if let secret = request.application.client_secret, changes["client_secret"] == nil { form.append(("client_secret", secret)) }
            for (name, value) in changes { if let value { form.append((name, value)) } }
            return try await browser.post("\(request.tenant.issuer)/oauth2/par", form: form, headers: headers)
        }

        func authorize(_ uri: String, _ others: [(String, String)] = []) async throws -> TestBrowser.Answer {
            try await browser.get(
                TestBrowser.Request.url(
                    "\(request.tenant.issuer)/oauth2/authorize",
                    [("client_id", request.application.client_id), ("request_uri", uri)] + others))
        }

        func set(_ members: [String: any Sendable]) async throws {
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, members).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
        }
    }

    @Test("a login with a pushed request, whose other parameters in the browser are ignored", arguments: [0, 1])
    func login(_ application: Int) async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform, application: application)
            let answer = try await stage.push()
            #expect(answer.status == 201 && answer.header("Cache-Control") == "no-store", "\(answer.body)")
            #expect(Set(answer.json.keys) == ["request_uri", "expires_in"] && answer.json["expires_in"] as? Int == 60)
            let uri = answer.string("request_uri") ?? ""
            #expect(uri.hasPrefix(Self.prefix))
            let others = [("state", "evil"), ("redirect_uri", "https://evil.test/"), ("scope", "openid")]
            let apple = try await stage.browser.atApple(try await stage.authorize(uri, others), person: "new")
            let back = try await stage.browser.callback(apple)
            #expect(back["state"] == stage.request.state && back.location?.hasPrefix(stage.request.redirectURI) == true)
            let tokens = try await stage.browser.redeem(back["code"] ?? "", stage.request)
            #expect(tokens.string("scope") == stage.request.scope, "\(tokens.body)")
            #expect((try claims(of: tokens.string("id_token")))["nonce"] as? String == stage.request.nonce)

            // A reload of the page starts a sign-in of its own, and the first one stays valid.
            let second = try await stage.browser.atApple(try await stage.authorize(uri), person: "new")
            let code = try await stage.browser.callback(second)["code"] ?? ""
            #expect(try await stage.browser.redeem(code, stage.request).status == 200)
            #expect(try await stage.browser.refresh(tokens.string("refresh_token") ?? "", stage.request).status == 200)
        }
    }

    @Test("a wrong request is refused when it is pushed, and no redirect happens")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            for (changes, error) in [
                (["redirect_uri": "https://evil.test/"], "invalid_request"), (["redirect_uri": nil], "invalid_request"),
                (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
                (["code_challenge": nil], "invalid_request"), (["scope": "unknown"], "invalid_scope"),
                (["resource": "https://unknown.test"], "invalid_target"), (["request": "a.b.c"], "request_not_supported"),
                (["registration": "{}"], "registration_not_supported"),
                (["request_uri": "\(Self.prefix)x"], "invalid_request"), (["dpop_jkt": "x"], "invalid_request"),
                (["state": String(repeating: "s", count: 3000)], "invalid_request"),
            ] as [([String: String?], String)] {
                let answer = try await stage.push(changes)
                #expect(answer.isOAuthError(400, error), "\(changes): \(answer.body)")
            }
            let many = (0..<62).map { _ in ("resource", platform.acme.issuer) }
            let client = [
                ("client_id", stage.request.application.client_id), ("client_secret", stage.request.application.client_secret ?? ""),
            ]
            for count in [60, 61, 62] {
                let answer = try await stage.browser.post("\(platform.acme.issuer)/oauth2/par", form: client + many.prefix(count))
                #expect(answer.isOAuthError(400, "invalid_request"), "\(answer.body)")
            }
            #expect(try await stage.push(["client_secret": "wrong"]).isOAuthError(401, "invalid_client"))
            #expect(try await stage.push(["client_id": platform.globex.applications[0].client_id]).isOAuthError(401, "invalid_client"))
            #expect(try await stage.browser.get("\(platform.acme.issuer)/oauth2/par").status == 405)
            let machine = try await platform.call("POST", "/tenants/acme/applications", ["name": "API", "kind": "machine"])
            platform.installation.directory.forgetAll(isFresh: true)
            let refused = try await stage.push(["client_id": machine.string("id"), "client_secret": machine.string("client_secret")])
            #expect(refused.isOAuthError(400, "invalid_request"), "\(refused.body)")
        }
    }

    @Test("prompt=none is accepted, and fails in the browser")
    func silent() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            let uri = try await stage.push(["prompt": "none"]).string("request_uri") ?? ""
            #expect(try await stage.authorize(uri).reports(stage.request, "login_required"))
        }
    }

    @Test("a forged, foreign or old request_uri gets a page")
    func forged() async throws {
        try await TestPlatform.run { platform in
            var stage = Stage(platform)
            let uri = try await stage.push().string("request_uri") ?? ""
            for wrong in [uri + "A", String(uri.dropLast()), "\(Self.prefix)x", Self.prefix, "\(uri)\u{0301}", "\(uri)\u{200D}"] {
                #expect(try await stage.authorize(wrong).isPage(400), "\(wrong.suffix(20))")
            }
            // Another application of the tenant, and another tenant.
            stage.request.application = platform.acme.applications[1]
            #expect(try await stage.authorize(uri).isPage(400))
            stage.request = TestBrowser.Request(platform.globex)
            #expect(try await stage.authorize(uri).isPage(400))
            let foreign = TestBrowser.Request.url(
                "\(platform.globex.issuer)/oauth2/authorize",
                [("client_id", platform.acme.applications[0].client_id), ("request_uri", uri)])
            #expect(try await stage.browser.get(foreign).isPage(400))
            // A URI of another server is not fetched.
            stage.request = TestBrowser.Request(platform.acme)
            let other = try await stage.browser.get(stage.request.authorizeURL(changing: ["request_uri": "https://evil.test/request"]))
            #expect(other.reports(stage.request, "request_uri_not_supported"))
        }
    }

    @Test("a request_uri expires after one minute, and opens only with its keyring")
    func expired() throws {
        let (now, keyring) = (Date(timeIntervalSince1970: 1_800_000_000), try Keyring([.generate()]))
        let form = try Form("state=a%26b&resource=https://one.test&resource=https://two.test&login_hint=x", repeatable: ["resource"])
        let sent = PushedRequest(form, boundTo: nil, by: ID(at: now), of: ID(at: now), at: now)
        let uri = try #require(sent.uri(with: keyring))
        let opened = try #require((try? PushedRequest(opening: uri, with: keyring, at: now.addingTimeInterval(59.9))))
        #expect(opened.tenant == sent.tenant && opened.application == sent.application)
        #expect(try opened.form["state"] == "a&b" && opened.form["login_hint"] == nil)
        #expect(try opened.form.values("resource") == ["https://one.test", "https://two.test"])
        #expect((try? PushedRequest(opening: uri, with: keyring, at: now.addingTimeInterval(60))) == nil)
        #expect((try? PushedRequest(opening: uri, with: try Keyring([.generate()]), at: now)) == nil)
    }

    @Test("an application with requires_pushed_requests cannot send its request through the browser")
    func required() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            try await stage.set(["requires_pushed_requests": true])
            #expect(try await stage.browser.authorize(stage.request).reports(stage.request, "invalid_request"))
            let uri = try await stage.push().string("request_uri") ?? ""
            let apple = try await stage.browser.atApple(try await stage.authorize(uri), person: "new")
            let code = try await stage.browser.callback(apple)["code"] ?? ""
            #expect(try await stage.browser.redeem(code, stage.request).status == 200)
        }
    }

    @Test("a proof with the pushed request binds the code to its key (RFC 9449, section 10.1)")
    func proof() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform, application: 1)
            let (key, url) = (try ClientKey(nil), "\(platform.acme.issuer)/oauth2/par")
            let first = try await stage.push(headers: [("DPoP", try key.proof(url, nonce: nil))])
            #expect(first.isOAuthError(400, "use_dpop_nonce"))
            let nonce = first.header("DPoP-Nonce")
            let other = try await stage.push(
                ["dpop_jkt": try ClientKey(nil).thumbprint], headers: [("DPoP", try key.proof(url, nonce: nonce))])
            #expect(other.isOAuthError(400, "invalid_request"))
            let uri = try await stage.push(headers: [("DPoP", try key.proof(url, nonce: nonce))]).string("request_uri") ?? ""
            let apple = try await stage.browser.atApple(try await stage.authorize(uri), person: "new")
            let code = try await stage.browser.callback(apple)["code"] ?? ""
            #expect(try await stage.browser.redeem(code, stage.request).isOAuthError(400, "invalid_dpop_proof"))
            let form = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", stage.request.redirectURI),
                ("code_verifier", stage.request.verifier), ("client_id", stage.request.application.client_id),
            ]
            let token = "\(platform.acme.issuer)/oauth2/token"
            let answer = try await stage.browser.post(token, form: form, headers: [("DPoP", try key.proof(token, nonce: nonce))])
            #expect(answer.string("token_type") == "DPoP", "\(answer.body)")
        }
    }
}
