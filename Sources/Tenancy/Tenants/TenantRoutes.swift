package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// Manages a tenant from its creation to its end. It can be active, suspended, or deleted. A deleted tenant can be restored for 30
/// days. Then `PurgeTenants` purges it, and only its slug and its usage remain.
package struct TenantRoutes: Sendable {
    let pool: DatabasePool
    /// Where browsers and Apple reach this server, without a slash at its end.
    let publicURL: String
    /// The addresses of a tenant, from memory.
    let addresses: @Sendable (UUID) -> TenantAddresses
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, publicURL: String, addresses: @escaping @Sendable (UUID) -> TenantAddresses,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.publicURL, self.addresses, self.now) = (pool, publicURL, addresses, now)
    }

    func reply(_ tenant: Tenant) -> TenantReply {
        TenantReply(tenant, issuer: TenantAddresses.issuer(of: tenant.slug, at: addresses(tenant.id.uuid).primary, publicURL: publicURL))
    }

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

    /// These routes are below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "tenants", "listTenants", use: listTenants)
        routes.on(.post, "tenants", "createTenant", use: createTenant)
        return routes
    }
}
