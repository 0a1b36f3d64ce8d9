package import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    /// Deletes a webhook with its secrets and deliveries. A delivery in progress may still arrive.
    @Sendable
    func deleteWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        try await delete(id, call) { try request.requireMatch(EntityTag($0.updatedAt)) }
        return .noContent
    }

    /// - Parameter admit: throws to prevent the deletion.
    package func delete(_ id: ID<Webhook>, _ call: TenantContext, admit: @Sendable (Webhook) throws -> Void) async throws {
        let now = now()
        let tenant = call.tenant
        try await call.database(pool).transaction { db in
            guard let webhook = try await db.run(Webhook.lock(id, of: tenant)).first(Webhook.init)
            else { throw Problem.notFound("webhook") }
            try admit(webhook)
            _ = try await db.run([
                "DELETE FROM webhook_endpoint WHERE tenant_id = \(tenant) AND id = \(id)",
                AuditEvent.insert("deleteWebhook", of: id.description, owner: tenant.uuid, by: call.origin, before: webhook.reply, at: now),
            ])
        }
    }
}
