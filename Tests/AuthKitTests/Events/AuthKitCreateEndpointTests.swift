import Foundation
import Server
import TestSupport
import Testing

@Suite("AuthKit create endpoint")
struct AuthKitCreateEndpointTests {
    @Test("the endpoint is a webhook of the format workos, and its secret is shown once")
    func created() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let answer = try await Endpoints.create(client, ["events": ["user.created", "session.revoked"]])
            #expect(answer.status == 201, "\(answer.body)")
            #expect(answer.string("object") == "webhook_endpoint" && answer.string("status") == "enabled")
            let secret = try #require(answer.string("secret"))
            let id = try #require(answer.string("id"))
            #expect(secret.hasPrefix("whsec_") && id.hasPrefix("we_"))
            let webhook = try await platform.call("GET", "/tenants/acme/webhooks/\(Endpoints.webhook(id))")
            #expect(webhook.string("format") == "workos" && webhook.string("url") == "https://hooks.example.com/workos")
            #expect(webhook.json["events"] as? [String] == ["user.created", "session.revoked"])
            let trail = try await platform.audit(Endpoints.webhook(id))
            #expect(trail.map(\.action) == ["createWebhook"])
            #expect(trail[0].after?.contains(#""format": "workos""#) == true && trail[0].after?.contains(secret) == false)
            #expect(try await client.call("\(Endpoints.path)?limit=1").elements.first?["secret"] is NSNull)
        }
    }

    @Test("events that Espalier cannot send, and other invalid members, get 422")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            for (name, value) in [
                ("events", ["user.updated"] as any Sendable), ("events", ["statement.closed"]), ("events", [String]()),
                ("events", "user.created"), ("endpoint_url", "http://hooks.example.com/"), ("endpoint_url", "https://127.0.0.1/"),
                ("endpoint_url", 1), ("secret", "whsec_1"),
            ] {
                let answer = try await Endpoints.create(client, [name: value])
                #expect(answer.isError(422, "invalid_request_parameters"), "\(name) \(value): \(answer.body)")
                #expect((answer.json["errors"] as? [[String: String]])?.first?["field"]?.hasPrefix(name) == true)
            }
            #expect(try await client.call("POST", Endpoints.path, [:]).isError(422, "invalid_request_parameters"))
        }
    }

    @Test("a key that cannot read users and sessions cannot have them sent, through either interface")
    func content() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let all = ["webhooks:write", "users:read", "sessions:read"]
            for lacking in all {
                let key = try #require(try await platform.issue(scopes: all.filter { $0 != lacking }).string("secret"))
                #expect(try await Endpoints.create(client, key: key).isError(403, "insufficient_scope"), "\(lacking)")
                let body: [String: any Sendable] = ["url": "https://hooks.example.com/", "events": ["user.created"], "format": "workos"]
                #expect(try await platform.call("POST", "/tenants/acme/webhooks", key: key, body).status == 403, "\(lacking)")
            }
            let key = try #require(try await platform.issue(scopes: all).string("secret"))
            #expect(try await Endpoints.create(client, key: key).status == 201)
        }
    }

    @Test("a retry with the same Idempotency-Key creates no second endpoint, and a refusal is repeated")
    func retried() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            func send(_ body: String, _ key: String) async throws -> TestBrowser.Answer {
                try await client.browser.send(
                    "POST", TestPlatform.publicURL + Endpoints.path,
                    headers: [
                        ("Authorization", "Bearer \(client.secret ?? "")"), ("Content-Type", "application/json"), ("Idempotency-Key", key),
                    ], body: body)
            }
            let body = #"{"endpoint_url":"https://hooks.example.com/workos","events":["user.created"]}"#
            let (first, second) = (try await send(body, "one"), try await send(body, "one"))
            #expect(first.status == 201 && first.body == second.body)
            #expect(second.header("Idempotent-Replayed") == "true")
            #expect(try await client.call(Endpoints.path).ids.count == 1)
            let (refused, again) = (try await send("{}", "two"), try await send("{}", "two"))
            #expect(refused.isError(422, "invalid_request_parameters") && again.isError(422, "invalid_request_parameters"))
            #expect(refused.body == again.body && again.header("Idempotent-Replayed") == "true")
            // The key belongs to the first body.
            #expect(try await send(body, "two").isError(422, "idempotency_key_reused"))
        }
    }
}
