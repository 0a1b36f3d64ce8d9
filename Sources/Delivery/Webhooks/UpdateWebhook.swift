import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    @Sendable
    func updateWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        var fields = try await JSONFields(request)
        let url = fields.text("url", 1...2000) { WebhookURL.refusal(of: $0, allowsPrivate: allowsPrivateWebhooks) }
        let events = fields.choices("events", WebhookEvent.Kind.self)
        let description = fields.text("description")
        let describes = fields.has("description")
        let status = fields.choice("status", Webhook.Status.self)
        for name in ["url", "events", "status"] where fields.isNull(name) { fields.refuse(name, "It cannot be removed.") }
        try fields.finish()

        let now = now()
        let tenant = call.tenant
        let changed = try await call.database(pool).transaction { db in
            guard let webhook = try await db.run(Webhook.lock(id, of: tenant)).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            try request.requireMatch(EntityTag(webhook.updatedAt))
            // A `status` from the tenant replaces the server's reason for disabling the endpoint.
            let reason = status == nil ? webhook.disabledReason : nil
            // A request without an effective change leaves no audit event.
            let (given, known) = (describes ? description : webhook.description, webhook.description)
            guard
                !(url ?? webhook.url).utf8.elementsEqual(webhook.url.utf8)
                    || events?.map(\.rawValue) ?? webhook.events != webhook.events
                    || (given == nil) != (known == nil) || !(given ?? "").utf8.elementsEqual((known ?? "").utf8)
                    || status ?? webhook.status != webhook.status || reason != webhook.disabledReason
            else { return webhook }
            guard
                let changed = try await db.run(
                    """
                    UPDATE webhook_endpoint SET url = \(url ?? webhook.url), events = \(events?.map(\.rawValue) ?? webhook.events),
                        description = \(describes ? description : webhook.description), status = \(status ?? webhook.status),
                        disabled_reason = \(reason), updated_at = \(now.asChange(after: webhook.updatedAt))
                    WHERE tenant_id = \(tenant) AND id = \(id)
                    RETURNING id, url, description, events, status, disabled_reason, created_at, updated_at
                    """
                ).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            _ = try await db.run(
                AuditEvent.insert(
                    "updateWebhook", of: id.description, owner: tenant.uuid, by: call.origin, before: webhook.reply, after: changed.reply,
                    at: now))
            return changed
        }
        return try .resource(changed.reply, updatedAt: changed.updatedAt)
    }
}
