package import Hummingbird
package import Postgres
import Web

/// Lists audit events. A tenant's trail records the actions on the tenant and its data, by its own keys or by operators. The platform's
/// trail records all other actions. Each trail is a chain of hashes that `espalier audit verify` checks (`AuditTrail`).
package struct AuditRoutes: Sendable {
    let pool: DatabasePool

    package init(pool: DatabasePool) {
        self.pool = pool
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "audit-events", "listAuditEvents") { try await listAuditEvents($0, $1) }
        return routes
    }

    /// These routes are below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/audit-events", "listPlatformAuditEvents") { try await listAuditEvents($0, $1) }
        return routes
    }
}
