import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit create API key")
struct AuthKitCreateAPIKeyTests {
    @Test("the key works, has the permissions, and a retry creates no second one")
    func created() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/organizations/\(client.organization)/api_keys"
            let body = #"{"name": "New", "permissions": ["users:read"], "expires_at": "2099-01-01T00:00:00.000Z"}"#
            let headers = [
                ("Authorization", "Bearer \(client.secret ?? "")"), ("Content-Type", "application/json"), ("Idempotency-Key", "one"),
            ]
            let answers = [
                try await client.browser.send("POST", TestPlatform.publicURL + path, headers: headers, body: body),
                try await client.browser.send("POST", TestPlatform.publicURL + path, headers: headers, body: body),
            ]
            #expect(answers.map(\.status) == [201, 201], "\(answers[0].body)")
            #expect(answers[0].body == answers[1].body)
            #expect(answers[0].json["permissions"] as? [String] == ["users:read"])
            let secret = try #require(answers[0].string("value"))
            #expect(try await client.call("/user_management/users", key: secret).status == 200)
            #expect(try await client.call("/organizations", key: secret).isError(403, "insufficient_scope"))
            let id = "apikey_" + (answers[0].string("id") ?? "").dropFirst("api_key_".count)
            #expect(try await platform.audit(id).map(\.action) == ["issueAPIKey"])
        }
    }

    @Test("a key cannot pass on more than it has, and an invalid body gets 422")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/organizations/\(client.organization)/api_keys"
            let narrow = try #require(try await platform.issue(scopes: ["api_keys:write"]).string("secret"))
            let more = try await client.call("POST", path, key: narrow, ["name": "New", "permissions": ["users:read"]])
            #expect(more.isError(403, "insufficient_scope"))
            let all = try await client.call("POST", path, key: narrow, ["name": "New"])
            #expect(all.json["permissions"] as? [String] == [])
            #expect(try await client.call("/organizations", key: all.string("value")).isError(403, "insufficient_scope"))
            for body: [String: any Sendable] in [
                [:], ["name": ""], ["name": "New", "permissions": ["x"]], ["name": "New", "expires_at": "2001-01-01T00:00:00Z"],
            ] { #expect(try await client.call("POST", path, body).isError(422, "invalid_request_parameters"), "\(body)") }
            #expect(
                try await client.call("POST", "/organizations/\(platform.globex.id)/api_keys", ["name": "New"])
                    .isError(404, "entity_not_found"))
        }
    }
}
