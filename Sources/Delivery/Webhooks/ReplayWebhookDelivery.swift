import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    /// Creates a new delivery of the same event to the same endpoint. The `webhook-id` is the same, so a receiver that already has the
    /// event recognizes it.
    @Sendable
    func replayWebhookDelivery(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        let webhookID = try call.id("webhook", of: "webhook", as: Webhook.self)
        let originalID = try call.id("delivery", of: "delivery", as: WebhookDelivery.self)
        var fields = try await JSONFields(request, isOptional: true)
        try fields.finish()

        let now = now()
        let tenant = call.tenant
        let id = ID<WebhookDelivery>(at: now)
        let delivery = try await call.database(pool).transaction { db in
            // The lock prevents a deletion or disabling between the check and the insert.
            guard let webhook = try await db.run(Webhook.lock(webhookID, of: tenant)).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            guard
                let original = try await db.run(WebhookDelivery.find(originalID, to: webhookID, of: tenant)).first(WebhookDelivery.init)
            else { throw Problem.notFound("delivery") }
            guard original.state != .pending
            else { throw Problem(.conflict, "The delivery is still in progress. Replay it after it has succeeded or failed.") }
            guard webhook.status == .enabled else { throw Problem.webhookDisabled }
            try await WebhookDelivery.requireRoom(of: tenant, in: db)
            var batch = Statements(WebhookDelivery.insert(id, of: original.event.id, to: webhookID, tenant: tenant, at: now))
            let inserted = batch.append(WebhookDelivery.find(id, to: webhookID, of: tenant))
            guard let delivery = try await db.run(batch)[inserted].first(WebhookDelivery.init) else { throw Problem.notFound("delivery") }
            _ = try await db.run(
                AuditEvent.insert(
                    "replayWebhookDelivery", of: originalID.description, owner: tenant.uuid, by: call.origin, after: delivery.reply,
                    at: now))
            return delivery
        }
        return try .resource(
            delivery.reply, updatedAt: delivery.updatedAt, status: .accepted,
            headers: [.location: "/v1/tenants/\(call.slug)/webhooks/\(webhookID)/deliveries/\(id)"])
    }
}
