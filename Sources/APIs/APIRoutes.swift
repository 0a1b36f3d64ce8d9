package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// Manages a tenant's own APIs: the audiences, scopes and lifetimes of access tokens, and the applications that may request them.
///
/// A token request names an API by its audience (`resource`, RFC 8707). `APIDirectory` has the APIs in memory. Every change takes effect
/// within 1 s, because triggers on the rows notify each process.
package struct APIRoutes: Sendable {
    let pool: DatabasePool
    /// Where browsers and applications reach this server, without a slash at its end.
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

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "apis", "createAPI", use: createAPI)
        routes.on(.get, "apis", "listAPIs", use: listAPIs)
        routes.on(.get, "apis/{api}", "getAPI", use: getAPI)
        routes.on(.patch, "apis/{api}", "updateAPI", use: updateAPI)
        routes.on(.delete, "apis/{api}", "deleteAPI", use: deleteAPI)
        return routes
    }

    /// Runs a change of an API. A refusal of the schema becomes a problem that names the field.
    func refusingConflicts<R>(_ change: () async throws -> R) async throws -> R {
        do { return try await change() } catch let error as DatabaseError where error.constraint == "api_audience" {
            throw Problem(.conflict, "Another API of this tenant has this audience.", fields: [.init("audience", "It is in use.")])
        } catch let error as DatabaseError where error.constraint == "api_application_tenant_id_application_id_fkey" {
            let field = Problem.Field("applications", "The tenant does not have each of these applications. Check the IDs.")
            throw Problem(.conflict, field.detail, fields: [field])
        }
    }
}
