import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Token")
struct TokenTests {
    @Test("the token endpoint refuses an invalid request with the errors of RFC 6749")
    func malformed() async throws {
        try await TestPlatform.run { platform in
            let (browser, url) = (TestBrowser(platform), "\(platform.acme.issuer)/oauth2/token")
            let type = ("Content-Type", "application/x-www-form-urlencoded")
            for (body, error) in [
                ("", "invalid_request"), ("grant_type=", "invalid_request"),
                ("grant_type=refresh_token&grant_type=refresh_token", "invalid_request"),
                ("grant_type=refresh_token&x=%", "invalid_request"), ("grant_type=%ff", "invalid_request"),
                ("grant_type=password", "unsupported_grant_type"), ("grant_type=Client_Credentials", "unsupported_grant_type"),
                ("grant_type=authorization_code%20", "unsupported_grant_type"),
            ] {
                let answer = try await browser.send("POST", url, headers: [type], body: body)
                #expect(answer.isOAuthError(400, error), "\(body): \(answer.status) \(answer.body)")
            }
            let json = try await browser.send("POST", url, headers: [("Content-Type", "application/json")], body: "{}")
            #expect(json.isOAuthError(400, "invalid_request"))
            let charset = [("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")]
            #expect(try await browser.send("POST", url, headers: charset, body: "grant_type=x").isOAuthError(400, "unsupported_grant_type"))
        }
    }

    @Test("a machine may use neither grant, because it does not support sign-in")
    func machine() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let id = ID<Tenancy.Application>(request.application.client_id)
            _ = try await platform.ownerPool.run("UPDATE application SET kind = 'machine', redirect_uris = '{}' WHERE id = \(id)")
            let browser = TestBrowser(platform)
            #expect(try await browser.refresh("x", request).isOAuthError(400, "unauthorized_client"))
            #expect(try await browser.redeem("x", request).isOAuthError(400, "unauthorized_client"))
            // Authentication comes first.
            var stranger = request
            stranger.application = platform.acme.applications[1]
            #expect(try await browser.refresh("x", stranger).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("parameters in the URL do not count, and GET is refused")
    func notByURL() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme, application: 1))
            let code = try await browser.code(request)
            let parameters = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                ("code_verifier", request.verifier),
                ("client_id", request.application.client_id),
            ]
            let url = TestBrowser.Request.url("\(platform.acme.issuer)/oauth2/token", parameters)
            let got = try await browser.get(url)
            #expect(got.status == 405)
            #expect(got.headers.first(name: "Allow") == "POST")
            #expect(try await browser.post(url, form: []).isOAuthError(400, "invalid_request"))
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("an unknown tenant is not found")
    func unknownTenant() async throws {
        try await TestPlatform.run { platform in
            let answer = try await TestBrowser(platform).post(
                "\(TestPlatform.publicURL)/t/initech/oauth2/token", form: [("grant_type", "refresh_token")])
            #expect(answer.status == 404)
        }
    }
}
