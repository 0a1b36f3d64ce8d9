import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    /// Sends an event of its own type to this endpoint only, regardless of its subscriptions.
    @Sendable
    func testWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        struct Data: Encodable {
            let webhook_id: ID<Webhook>
        }
        try call.require(.webhooksWrite)
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        var fields = try await JSONFields(request, isOptional: true)
        try fields.finish()

        let now = now()
        let tenant = call.tenant
        let (event, deliveryID) = (ID<WebhookEvent>(at: now), ID<WebhookDelivery>(at: now))
        let data = JSON(bytes: try JSONWriter.encode(Data(webhook_id: id)))
        let delivery = try await call.database(pool).transaction { db in
            guard let webhook = try await db.run(Webhook.lock(id, of: tenant)).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            guard webhook.status == .enabled else { throw Problem.webhookDisabled }
            try await WebhookDelivery.requireRoom(of: tenant, in: db)
            var batch = Statements()
            batch.append(
                """
                INSERT INTO webhook_event (tenant_id, id, type, occurred_at, data)
                VALUES (\(tenant), \(event), \(WebhookEvent.testType), \(now), \(data))
                """)
            batch.append(contentsOf: WebhookDelivery.insert(deliveryID, of: event, to: id, tenant: tenant, at: now))
            let inserted = batch.append(WebhookDelivery.find(deliveryID, to: id, of: tenant))
            guard let delivery = try await db.run(batch)[inserted].first(WebhookDelivery.init) else { throw Problem.notFound("webhook") }
            _ = try await db.run(
                AuditEvent.insert("testWebhook", of: id.description, owner: tenant.uuid, by: call.origin, after: delivery.reply, at: now))
            return delivery
        }
        return try .resource(
            delivery.reply, updatedAt: delivery.updatedAt, status: .accepted,
            headers: [.location: "/v1/tenants/\(call.slug)/webhooks/\(id)/deliveries/\(deliveryID)"])
    }
}

extension Problem {
    static var webhookDisabled: Problem {
        Problem(.conflict, "The webhook is disabled. Change its `status` to `enabled` first.")
    }
}
