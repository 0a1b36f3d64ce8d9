import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    @Sendable
    func listWebhookDeliveries(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksRead)
        let id = try call.id("webhook", of: "webhook", as: Webhook.self)
        let query = try Query(request, "limit", "after", "before", "state")
        let (page, state) = (try query.page, try query.choice("state", WebhookDelivery.State.self))
        let (webhook, deliveries) = try await call.database(pool).run(
            Webhook.find(id, of: call.tenant),
            """
            SELECT d.id, d.endpoint_id, d.event_id, v.type, v.occurred_at, v.data, v.actor, d.state, d.attempts, d.next_at, d.last_status,
                d.last_error, d.created_at, d.updated_at
            FROM webhook_delivery d JOIN webhook_event v ON v.tenant_id = d.tenant_id AND v.id = d.event_id
            WHERE d.tenant_id = \(call.tenant) AND d.endpoint_id = \(id) AND d.id < \(page.upper) AND d.id > \(page.lower)
                AND (\(state)::text IS NULL OR d.state = \(state))
            ORDER BY CASE WHEN \(page.isBackward) THEN d.id END ASC, d.id DESC LIMIT \(page.fetched)
            """)
        guard !webhook.isEmpty else { throw Problem.notFound("webhook") }
        return try .json(Page(try deliveries.map(WebhookDelivery.init), of: page, id: \.id.uuid, \.reply))
    }
}
