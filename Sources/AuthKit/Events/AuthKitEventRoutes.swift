package import Access
package import Delivery
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// The events of a tenant, and the webhooks that send them, in WorkOS's interface. The caller's key names the tenant.
///
/// An endpoint is a webhook of the format `workos`. `WorkOSDelivery` writes the body of its deliveries. All else is `Delivery`'s.
package struct AuthKitEventRoutes: Sendable {
    let pool: DatabasePool
    let webhooks: WebhookRoutes
    /// How long an event waits before the list contains it, in seconds. Until then, a transaction with an earlier event may commit. So a
    /// caller that continues after the last event misses none.
    let settling: TimeInterval
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, webhooks: WebhookRoutes, settling: TimeInterval, now: @escaping @Sendable () -> Date) {
        (self.pool, self.webhooks, self.settling, self.now) = (pool, webhooks, settling, now)
    }

    package var keyRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "events", "authKitListEvents", use: authKitListEvents)
        routes.on(.get, "webhook_endpoints", "authKitListEndpoints", use: authKitListEndpoints)
        routes.on(.post, "webhook_endpoints", "authKitCreateEndpoint", use: authKitCreateEndpoint)
        routes.on(.patch, "webhook_endpoints/{authKitEndpoint}", "authKitUpdateEndpoint", use: authKitUpdateEndpoint)
        routes.on(.delete, "webhook_endpoints/{authKitEndpoint}", "authKitDeleteEndpoint", use: authKitDeleteEndpoint)
        return routes
    }
}
