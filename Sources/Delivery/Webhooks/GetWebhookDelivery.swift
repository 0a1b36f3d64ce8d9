import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    @Sendable
    func getWebhookDelivery(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksRead)
        let webhook = try call.id("webhook", of: "webhook", as: Webhook.self)
        let id = try call.id("delivery", of: "delivery", as: WebhookDelivery.self)
        guard
            let delivery = try await call.database(pool).run(WebhookDelivery.find(id, to: webhook, of: call.tenant))
                .first(WebhookDelivery.init)
        else { throw Problem.notFound("delivery") }
        return try .resource(delivery.reply, updatedAt: delivery.updatedAt)
    }
}
