package import Hummingbird
package import Postgres
import Web

/// Who did what. A tenant's trail holds what was done to it and to what it has, by its own keys or by operators; the
/// platform's holds the rest. Each is a chain of hashes that `espalier audit verify` follows (`AuditTrail`).
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

    /// Below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/audit-events", "listPlatformAuditEvents") { try await listAuditEvents($0, $1) }
        return routes
    }
}
