package import Hummingbird
import Web

extension TenancyRoutes {
    /// A tenant, from its creation to its end: active, suspended and resumed, deleted and for a while restored, and when that
    /// time is over purged (`PurgeTenants`), with its slug and its usage left.
    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "", "getTenant", use: getTenant)
        routes.on(.patch, "", "updateTenant", use: updateTenant)
        routes.on(.delete, "", "deleteTenant", use: deleteTenant)
        routes.on(.post, "suspend", "suspendTenant", use: suspendTenant)
        routes.on(.post, "resume", "resumeTenant", use: resumeTenant)
        routes.on(.post, "restore", "restoreTenant", use: restoreTenant)
        return routes
    }

    /// Below `/v1`.
    package var platformTenantRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "tenants", "listTenants", use: listTenants)
        routes.on(.post, "tenants", "createTenant", use: createTenant)
        return routes
    }
}
