package import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
package import Sealing
import Web

/// A webhook that is to be created.
package struct NewWebhook: Sendable {
    let url: String
    let events: [WebhookEvent.Kind]
    let format: Webhook.Format
    let description: String?

    package init(url: String, events: [WebhookEvent.Kind], format: Webhook.Format, description: String? = nil) {
        (self.url, self.events, self.format, self.description) = (url, events, format, description)
    }
}

extension WebhookRoutes {
    @Sendable
    func createWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let url = fields.text("url", 1...2000, isRequired: true) { refusal(of: $0) }
        let events = fields.choices("events", WebhookEvent.Kind.self, isRequired: true)
        let format = fields.choice("format", Webhook.Format.self) ?? .espalier
        let description = fields.text("description")
        if let events, let refusal = format.refusal(of: events) { fields.refuse("events", refusal) }
        try fields.finish()
        guard let url, let events else { throw Problem(.invalid, "`url` and `events` are required.") }

        let (webhook, secret) = try await create(
            NewWebhook(url: url, events: events, format: format, description: description), call)
        var reply = webhook.reply
        reply.secret = secret.reveal()
        return try .resource(
            reply, updatedAt: webhook.updatedAt, status: .created,
            headers: [.location: "/v1/tenants/\(call.slug)/webhooks/\(webhook.id)"])
    }

    /// - Returns: the webhook and the secret that signs its deliveries.
    package func create(_ new: NewWebhook, _ call: TenantContext) async throws -> (Webhook, Secret) {
        try call.requireContent(of: new.format)
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
                INSERT INTO webhook_endpoint (tenant_id, id, url, description, events, format, status, created_at, updated_at)
                VALUES (\(tenant), \(id), \(new.url), \(new.description), \(new.events.map(\.rawValue)), \(new.format),
                    \(Webhook.Status.enabled), \(now), \(now))
                RETURNING id, url, description, events, format, status, disabled_reason, created_at, updated_at
                """,
                secret.insert(for: id, owner: tenant.uuid, keyring: keyring, at: now))
            let webhook = try Webhook(created[0])
            _ = try await db.run(
                AuditEvent.insert("createWebhook", of: id.description, owner: tenant.uuid, by: call.origin, after: webhook.reply, at: now))
            return webhook
        }
        return (webhook, secret.text)
    }

    /// The reason for refusing a URL, or nil.
    package func refusal(of url: String) -> String? {
        WebhookURL.refusal(of: url, allowsPrivate: allowsPrivateWebhooks)
    }
}

extension TenantContext {
    /// A delivery in WorkOS's format contains profiles and addresses. So the caller must be able to read them.
    func requireContent(of format: Webhook.Format) throws {
        guard format == .workos else { return }
        try require(.usersRead)
        try require(.sessionsRead)
    }
}

extension Webhook.Format {
    /// The reason for refusing kinds of event that this format lacks, or nil.
    func refusal(of wanted: [WebhookEvent.Kind]) -> String? {
        guard !wanted.allSatisfy(events.contains) else { return nil }
        return "With `format` \(rawValue), each must be one of \(events.map { "`\($0.rawValue)`" }.joined(separator: ", "))."
    }
}
