import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    @Sendable
    func listWebhooks(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksRead)
        let page = try Query(request, "limit", "after", "before").page
        let webhooks = try await call.database(pool).run(Webhook.page(page, of: call.tenant)).map(Webhook.init)
        return try .json(Page(webhooks, of: page, id: \.id.uuid, \.reply))
    }
}
