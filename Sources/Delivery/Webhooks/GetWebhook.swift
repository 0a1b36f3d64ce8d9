import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    @Sendable
    func getWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksRead)
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        guard let webhook = try await call.database(pool).run(Webhook.find(id, of: call.tenant)).first(Webhook.init)
        else { throw Problem.notFound("webhook") }
        return try .resource(webhook.reply, updatedAt: webhook.updatedAt)
    }
}
