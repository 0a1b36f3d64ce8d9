package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// The sessions of a tenant's users, for those who run the tenant. Below `/v1/tenants/{tenant}`.
///
/// A session ends at its time limit. It ends earlier by the application (RevokeToken), by the user (Logout, DeleteOwnUser), by an
/// API key (RevokeSession, DeleteUser) or by Apple's notification (ReceiveNotification). In each case its row states the reason,
/// resource servers see it (ListRevocations), and after the commit the outbox notifies the application (DeliverLogoutToken).
package struct SessionRoutes: Sendable {
    let pool: DatabasePool
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, now: @escaping @Sendable () -> Date) {
        (self.pool, self.now) = (pool, now)
    }

    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "users/{user}/sessions/revoke", "revokeUserSessions", use: revokeUserSessions)
        routes.on(.get, "logins", "listLogins", use: listLogins)
        routes.on(.get, "sessions", "listSessions", use: listSessions)
        routes.on(.post, "sessions/revoke", "revokeAllSessions", use: revokeAllSessions)
        routes.on(.get, "sessions/{session}", "getSession", use: getSession)
        routes.on(.post, "sessions/{session}/revoke", "revokeSession", use: revokeSession)
        return routes
    }
}
