import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit authorize")
struct AuthKitAuthorizeTests {
    @Test(
        "both prefixes and each way to select Apple lead to Apple",
        arguments: [
            [:], ["provider": "AppleOAuth"], ["provider": nil, "organization_id": "org"], ["organization_id": "tenant"],
            ["login_hint": "ada@example.com", "screen_hint": "sign-up", "domain_hint": "example.com", "nothing": "x"],
        ] as [[String: String?]])
    func toApple(changes: [String: String?]) async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            var changes = changes
            switch changes["organization_id"] {
            case "org": changes["organization_id"] = client.organization
            case "tenant": changes["organization_id"] = platform.acme.id
            default: break
            }
            for id in [client.clientID, client.request.application.client_id] {
                changes["client_id"] = id
                let answer = try await client.authorize(changes)
                #expect(answer.status == 302, "\(answer.location ?? answer.body)")
                #expect(answer.header("X-Request-ID") == answer.header("Request-Id"))
                let back = try await client.browser.callback(try await client.browser.atApple(answer, person: "new"))
                #expect(back["code"] != nil)
                #expect(back["state"] == client.request.state)
            }
        }
    }

    @Test("the application receives each error under WorkOS's name")
    func errors() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let errors: [([String: String?], String)] = [
                (["provider": "GoogleOAuth"], "invalid_connection_selector"), (["provider": nil], "invalid_connection_selector"),
                (["connection_id": "conn_01"], "connection_invalid"), (["organization_id": platform.globex.id], "organization_invalid"),
                (["organization_id": "org_x"], "organization_invalid"), (["invitation_token": "x"], "invitation_invalid"),
                (["response_type": "token"], "unsupported_response_type"), (["code_challenge": "x"], "invalid_request"),
                (["prompt": "none"], "login_required"),
            ]
            for (changes, error) in errors {
                let answer = try await client.authorize(changes)
                #expect(answer.reports(client.request, error), "\(changes): \(answer.location ?? answer.body)")
            }
            let cancelled = try await client.browser.callback(
                try await client.browser.atApple(try await client.authorize(), person: "cancel"))
            #expect(cancelled.reports(client.request, "access_denied"))
        }
    }

    @Test("an unknown client and an unregistered redirect URI get a page")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for changes: [String: String?] in [
                ["client_id": "client_00000000000000000000000000"], ["client_id": nil], ["client_id": "org_00000000000000000000000000"],
                ["redirect_uri": "https://evil.test/"], ["redirect_uri": nil],
            ] {
                let answer = try await AuthKitClient(platform).authorize(changes)
                #expect(answer.isPage(400), "\(changes)")
            }
        }
    }
}
