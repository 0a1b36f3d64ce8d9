package import Access
package import Accounts
package import Foundation
package import Hummingbird
package import Postgres
package import Sessions
import Users
import Web

/// The users and sessions of a tenant in the interface of WorkOS User Management. The tenant is the owner of the API key.
package struct AuthKitUserRoutes: Sendable {
    let pool: DatabasePool
    let users: UserRoutes
    let sessions: SessionRoutes
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, users: UserRoutes, sessions: SessionRoutes, now: @escaping @Sendable () -> Date) {
        (self.pool, self.users, self.sessions, self.now) = (pool, users, sessions, now)
    }

    package var keyRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "user_management/users", "authKitListUsers", use: authKitListUsers)
        routes.on(.get, "user_management/users/{user}", "authKitGetUser", use: authKitGetUser)
        routes.on(.get, "user_management/users/external_id/{externalID}", "authKitGetUserByExternalID", use: authKitGetUserByExternalID)
        routes.on(.put, "user_management/users/{user}", "authKitUpdateUser", use: authKitUpdateUser)
        routes.on(.delete, "user_management/users/{user}", "authKitDeleteUser", use: authKitDeleteUser)
        routes.on(.get, "user_management/users/{user}/identities", "authKitListIdentities", use: authKitListIdentities)
        routes.on(.get, "user_management/users/{user}/sessions", "authKitListSessions", use: authKitListSessions)
        routes.on(.post, "user_management/sessions/revoke", "authKitRevokeSession", use: authKitRevokeSession)
        return routes
    }
}
