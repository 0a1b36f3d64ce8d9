import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Web

extension WebhookRoutes {
    @Sendable
    func createWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        var fields = try await JSONFields(request)
        let url = fields.text("url", 1...2000, isRequired: true) { WebhookURL.refusal(of: $0, allowsPrivate: allowsPrivateWebhooks) }
        let events = fields.choices("events", WebhookEvent.Kind.self, isRequired: true)
        let description = fields.text("description")
        try fields.finish()
        guard let url, let events else { throw Problem(.invalid, "`url` and `events` are required.") }

        let now = now()
        let tenant = call.tenant
        let id = ID<Webhook>(at: now)
        let secret = WebhookSecret(at: now)
        let webhook = try await call.database(pool).transaction { db in
            let (_, existing) = try await db.run(
                // A tenant creates webhooks one after another. Otherwise two requests could both create the twentieth.
                "SELECT pg_advisory_xact_lock(1466262379, hashtext(\(tenant)::text))",
                "SELECT count(*) AS n FROM webhook_endpoint WHERE tenant_id = \(tenant)")
            guard try existing[0].get("n", as: Int.self) < Webhook.limit
            else { throw Problem(.conflict, "A tenant can have at most \(Webhook.limit) webhooks. Delete an unused one.") }
            let (created, _) = try await db.run(
                """
                INSERT INTO webhook_endpoint (tenant_id, id, url, description, events, status, created_at, updated_at)
                VALUES (\(tenant), \(id), \(url), \(description), \(events.map(\.rawValue)), \(Webhook.Status.enabled), \(now), \(now))
                RETURNING id, url, description, events, status, disabled_reason, created_at, updated_at
                """,
                secret.insert(for: id, owner: tenant.uuid, keyring: keyring, at: now))
            let webhook = try Webhook(created[0])
            _ = try await db.run(
                AuditEvent.insert("createWebhook", of: id.description, owner: tenant.uuid, by: call.origin, after: webhook.reply, at: now))
            return webhook
        }
        var reply = webhook.reply
        reply.secret = secret.text.reveal()
        return try .resource(
            reply, updatedAt: webhook.updatedAt, status: .created, headers: [.location: "/v1/tenants/\(call.slug)/webhooks/\(id)"])
    }
}
