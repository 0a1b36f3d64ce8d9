package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Manages a tenant's webhooks and lists their deliveries.
///
/// The transaction of an action also inserts the event (`WebhookEvent.emit`), with one delivery per endpoint that subscribes to its
/// kind. The outbox's worker sends the deliveries (`DeliverWebhook`). `PruneWebhooks` removes them after 30 days.
package struct WebhookRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// Whether webhooks may go to private networks and without TLS. For development.
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
        routes.on(.get, "webhooks/listen", "listenWebhooks", use: listenWebhooks)
        routes.on(.post, "webhooks/trigger", "triggerWebhook", use: triggerWebhook)
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
