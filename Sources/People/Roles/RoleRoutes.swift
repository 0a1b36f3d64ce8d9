package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// Manages the roles that a tenant defines. `BuiltInRole` has the others.
///
/// A change of the scopes of a role changes the permissions of its members within 1 s, because a trigger on the row notifies each process.
package struct RoleRoutes: Sendable {
    let pool: DatabasePool
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, now: @escaping @Sendable () -> Date) {
        (self.pool, self.now) = (pool, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "roles", "listRoles", use: listRoles)
        routes.on(.post, "roles", "createRole", use: createRole)
        routes.on(.patch, "roles/{role}", "updateRole", use: updateRole)
        routes.on(.delete, "roles/{role}", "deleteRole", use: deleteRole)
        return routes
    }

    /// Runs a change of a role. A refusal of the schema becomes a problem.
    func refusingConflicts<R>(_ change: () async throws -> R) async throws -> R {
        do { return try await change() } catch let error as DatabaseError where error.constraint == "custom_role_name" {
            throw Problem(
                .alreadyExists, "The tenant has another role with this name. Choose another name.", fields: [.init("name", "It is in use.")]
            )
        } catch let error as DatabaseError where ["membership_custom_role", "invitation_custom_role"].contains(error.constraint) {
            throw Problem(
                .conflict, "Members or invitations have this role. Give the members another role, and delete the invitations.")
        }
    }
}
