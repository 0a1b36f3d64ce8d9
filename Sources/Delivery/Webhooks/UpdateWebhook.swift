package import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

/// A change of a webhook. Nil leaves a value as it is.
package struct WebhookChange: Sendable {
    var url: String?
    var events: [WebhookEvent.Kind]?
    /// The inner nil removes the description.
    var description: String??
    var status: Webhook.Status?

    package init(url: String?, events: [WebhookEvent.Kind]?, description: String?? = nil, status: Webhook.Status?) {
        (self.url, self.events, self.description, self.status) = (url, events, description, status)
    }
}

extension WebhookRoutes {
    @Sendable
    func updateWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        var fields = try await JSONFields(request)
        let url = fields.text("url", 1...2000) { refusal(of: $0) }
        let events = fields.choices("events", WebhookEvent.Kind.self)
        let description = fields.text("description")
        let describes = fields.has("description")
        let status = fields.choice("status", Webhook.Status.self)
        for name in ["url", "events", "status"] where fields.isNull(name) { fields.refuse(name, "It cannot be removed.") }
        try fields.finish()
        let change = WebhookChange(url: url, events: events, description: describes ? .some(description) : nil, status: status)
        let changed = try await update(id, change, call) { try request.requireMatch(EntityTag($0.updatedAt)) }
        return try .resource(changed.reply, updatedAt: changed.updatedAt)
    }

    /// - Parameter admit: throws to prevent the change.
    package func update(
        _ id: ID<Webhook>, _ change: WebhookChange, _ call: TenantContext, admit: @Sendable (Webhook) throws -> Void
    ) async throws -> Webhook {
        let now = now()
        let tenant = call.tenant
        let (url, events, status) = (change.url, change.events, change.status)
        return try await call.database(pool).transaction { db in
            guard let webhook = try await db.run(Webhook.lock(id, of: tenant)).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            try admit(webhook)
            try call.requireContent(of: webhook.format)
            if let events, let refusal = webhook.format.refusal(of: events) { throw Problem.invalid(.init("events", refusal)) }
            // A `status` from the tenant replaces the server's reason for disabling the endpoint.
            let reason = status == nil ? webhook.disabledReason : nil
            // A request without an effective change leaves no audit event.
            let (given, known) = (change.description ?? webhook.description, webhook.description)
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
                        description = \(given), status = \(status ?? webhook.status),
                        disabled_reason = \(reason), updated_at = \(now.asChange(after: webhook.updatedAt))
                    WHERE tenant_id = \(tenant) AND id = \(id)
                    RETURNING id, url, description, events, format, status, disabled_reason, created_at, updated_at
                    """
                ).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            _ = try await db.run(
                AuditEvent.insert(
                    "updateWebhook", of: id.description, owner: tenant.uuid, by: call.origin, before: webhook.reply, after: changed.reply,
                    at: now))
            return changed
        }
    }
}
