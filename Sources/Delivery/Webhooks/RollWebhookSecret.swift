import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Web

private struct Reply: Encodable {
    let id: ID<WebhookSecret>
    let object = "webhook_secret"
    /// Only in this response.
    var secret: String?
    let created_at, updated_at: Date
}

extension WebhookRoutes {
    /// Replaces the signing secret. Until the end of the overlap, deliveries have a signature of the new secret and of each secret that it
    /// replaces.
    @Sendable
    func rollWebhookSecret(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        var fields = try await JSONFields(request, isOptional: true)
        let overlap = fields.integer("overlap_seconds", 0...2_592_000) ?? 86_400
        try fields.finish()

        let now = now()
        let tenant = call.tenant
        let secret = WebhookSecret(at: now)
        let ends = now.addingTimeInterval(TimeInterval(overlap))
        var reply = Reply(id: secret.id, created_at: now, updated_at: now)
        try await call.database(pool).transaction { [reply] db in
            guard try await db.run(Webhook.lock(id, of: tenant)).first(Webhook.init) != nil else { throw Problem.notFound("webhook") }
            let (_, _, valid) = try await db.run(
                """
                UPDATE webhook_secret SET expires_at = LEAST(expires_at, \(ends)) WHERE tenant_id = \(tenant) AND endpoint_id = \(id)
                """,
                "DELETE FROM webhook_secret WHERE tenant_id = \(tenant) AND endpoint_id = \(id) AND expires_at <= \(now)",
                "SELECT count(*) AS n FROM webhook_secret WHERE tenant_id = \(tenant) AND endpoint_id = \(id)")
            guard try valid[0].get("n", as: Int.self) < WebhookSecret.limit
            else {
                throw Problem(
                    .conflict, "\(WebhookSecret.limit) secrets are already valid. Wait for the end of an overlap, or set a shorter one.")
            }
            _ = try await db.run([
                secret.insert(for: id, owner: tenant.uuid, keyring: keyring, at: now),
                AuditEvent.insert("rollWebhookSecret", of: id.description, owner: tenant.uuid, by: call.origin, after: reply, at: now),
            ])
        }
        reply.secret = secret.text.reveal()
        return try .json(reply, status: .created, headers: [.location: "/v1/tenants/\(call.slug)/webhooks/\(id)"])
    }
}
