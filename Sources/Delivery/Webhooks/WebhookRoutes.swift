package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Where a tenant hears of what happened, and what was delivered there.
///
/// An event is written in the transaction in which it happens (`WebhookEvent.emit`), one delivery for each endpoint that asked for
/// its kind; the outbox's worker sends them (`DeliverWebhook`), and after 30 days they are removed (`PruneWebhooks`).
package struct WebhookRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// Whether webhooks may lead into private networks and do without TLS: for development.
    let allowsPrivateWebhooks: Bool
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, allowsPrivateWebhooks: Bool, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.allowsPrivateWebhooks, self.now) = (pool, keyring, allowsPrivateWebhooks, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "webhooks", "createWebhook", use: createWebhook)
        routes.on(.get, "webhooks", "listWebhooks", use: listWebhooks)
        routes.on(.get, "webhooks/{webhook}", "getWebhook", use: getWebhook)
        routes.on(.patch, "webhooks/{webhook}", "updateWebhook", use: updateWebhook)
        routes.on(.delete, "webhooks/{webhook}", "deleteWebhook", use: deleteWebhook)
        routes.on(.post, "webhooks/{webhook}/secrets/roll", "rollWebhookSecret", use: rollWebhookSecret)
        routes.on(.post, "webhooks/{webhook}/test", "testWebhook", use: testWebhook)
        routes.on(.get, "webhooks/{webhook}/deliveries", "listWebhookDeliveries", use: listWebhookDeliveries)
        routes.on(.get, "webhooks/{webhook}/deliveries/{delivery}", "getWebhookDelivery", use: getWebhookDelivery)
        routes.on(.post, "webhooks/{webhook}/deliveries/{delivery}/replay", "replayWebhookDelivery", use: replayWebhookDelivery)
        return routes
    }
}
