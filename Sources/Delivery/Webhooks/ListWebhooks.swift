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
        let webhooks = try await call.database(pool).run(
            """
            SELECT id, url, description, events, status, disabled_reason, created_at, updated_at FROM webhook_endpoint
            WHERE tenant_id = \(call.tenant) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map(Webhook.init)
        return try .json(Page(webhooks, of: page, id: \.id.uuid, \.reply))
    }
}
