import Foundation
import Server
import Testing
import TestSupport

@Suite("Get webhook")
struct GetWebhookTests {
    @Test("a webhook is shown with its version and without its secret")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(unusedURL)
            let shown = try await platform.call("GET", webhook.path, key: platform.acme.api_keys[0].secret)
            #expect(shown.status == 200)
            #expect(Set(shown.json.keys) == ["id", "object", "url", "events", "format", "status", "created_at", "updated_at"])
            #expect(shown.json["id"] as? String == webhook.id && shown.json["url"] as? String == unusedURL)
            #expect(!shown.body.contains(webhook.secret.dropFirst(6)))
            let tag = try #require(shown.header("ETag"))
            #expect(try await platform.call("PATCH", webhook.path, ["description": "CRM"]).status == 200)
            let changed = try await platform.call("GET", webhook.path)
            #expect(changed.json["description"] as? String == "CRM" && changed.header("ETag") != tag)
        }
    }

    @Test("an unknown webhook, another tenant's webhook and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(unusedURL)
            let foreign = try await platform.webhook(unusedURL, tenant: "globex")
            for id in [foreign.id, "webhook_00000000000000000000000000", "x"] {
                #expect(try await platform.call("GET", "/tenants/acme/webhooks/\(id)").isProblem(404, "not_found"), "\(id)")
            }
            let globex = platform.globex.api_keys[0].secret
            #expect(try await platform.call("GET", webhook.path, key: globex).isProblem(404, "not_found"))
            #expect(
                try await platform.call("GET", webhook.path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
        }
    }
}
