package import Hummingbird
package import Tenancy
import Web

extension UsageRoutes {
    /// Where the platform's usage is pushed to: another system's meter.
    ///
    /// Every login that is added up is handed to the sink in the same transaction (`feed_usage_sink`). CloudEvents go a hundred to a batch, which the
    /// outbox's worker sends until it is taken (`DeliverUsage`). Stripe gets one meter event per tenant and minute (`SendMeterEvents`).
    /// Below `/v1`.
    package var sinkRoutes: RouteCollection<PlatformContext> {
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

    /// What Stripe calls a tenant. Below `/v1/tenants/{tenant}`.
    package var sinkCustomerRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.put, "usage-sink-customer", "setUsageSinkCustomer", use: setUsageSinkCustomer)
        routes.on(.delete, "usage-sink-customer", "removeUsageSinkCustomer", use: removeUsageSinkCustomer)
        return routes
    }
}
