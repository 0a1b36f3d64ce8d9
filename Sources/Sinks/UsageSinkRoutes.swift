package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Manages the destination of the platform's usage: the meter of another system.
///
/// The transaction that aggregates a login also passes it to the sink (`feed_usage_sink`). CloudEvents go in batches of 100, and the
/// outbox's worker sends a batch until it is accepted (`DeliverUsage`). Stripe receives one meter event per tenant and minute
/// (`SendMeterEvents`).
package struct UsageSinkRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// Whether sinks may be on private networks.
    let allowsPrivate: Bool
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, allowsPrivate: Bool, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.allowsPrivate, self.now) = (pool, keyring, allowsPrivate, now)
    }

    /// Below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/usage-sink", "getUsageSink", use: getUsageSink)
        routes.on(.post, "platform/usage-sink", "createUsageSink", use: createUsageSink)
        routes.on(.patch, "platform/usage-sink", "updateUsageSink", use: updateUsageSink)
        routes.on(.delete, "platform/usage-sink", "deleteUsageSink", use: deleteUsageSink)
        routes.on(.post, "platform/usage-sink/retry", "retryUsageSink", use: retryUsageSink)
        routes.on(.get, "platform/usage-sink/events", "listUsageSinkEvents", use: listUsageSinkEvents)
        routes.on(.get, "platform/usage-sink/differences", "listUsageSinkDifferences", use: listUsageSinkDifferences)
        routes.on(.get, "platform/usage-sink/customers", "listUsageSinkCustomers", use: listUsageSinkCustomers)
        return routes
    }

    /// Sets the customer of a tenant at Stripe. These routes are below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.put, "usage-sink-customer", "setUsageSinkCustomer", use: setUsageSinkCustomer)
        routes.on(.delete, "usage-sink-customer", "removeUsageSinkCustomer", use: removeUsageSinkCustomer)
        return routes
    }
}
