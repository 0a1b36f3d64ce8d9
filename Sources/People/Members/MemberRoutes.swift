package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// Manages the members of a tenant and the operators of the platform. A person becomes one by an invitation (`InvitationRoutes`).
///
/// The role of a member decides on the permissions, at most those of the caller who gave it. The end of a membership takes effect in every
/// process within 1 s, because a trigger on the row notifies each one.
package struct MemberRoutes: Sendable {
    let pool: DatabasePool
    let notices: OwnerNotices
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, notices: OwnerNotices, now: @escaping @Sendable () -> Date) {
        (self.pool, self.notices, self.now) = (pool, notices, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "members", "listMembers") { try await listMembers($0, $1) }
        routes.on(.patch, "members/{member}", "updateMember", use: updateMember)
        routes.on(.delete, "members/{member}", "deleteMember") { try await deleteMember($0, $1) }
        return routes
    }

    /// Below `/v1`. An operator has no other role, so there is no change.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/operators", "listOperators") { try await listMembers($0, $1) }
        routes.on(.delete, "platform/operators/{member}", "deleteOperator") { try await deleteMember($0, $1) }
        return routes
    }
}
