package import Hummingbird
package import Tenancy
import Web

extension Login {
    /// A tenant's users and their sessions, for those who run it. Below `/v1/tenants/{tenant}`.
    package var userRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "users", "listUsers", use: listUsers)
        routes.on(.get, "users/{user}", "getUser", use: getUser)
        routes.on(.delete, "users/{user}", "deleteUser", use: deleteUser)
        routes.on(.get, "user-deletions", "listUserDeletions", use: listUserDeletions)
        routes.on(.get, "user-deletions/{deletion}", "getUserDeletion", use: getUserDeletion)
        routes.on(.post, "users/{user}/sessions/revoke", "revokeUserSessions", use: revokeUserSessions)
        routes.on(.get, "sessions", "listSessions", use: listSessions)
        routes.on(.post, "sessions/revoke", "revokeAllSessions", use: revokeAllSessions)
        routes.on(.get, "sessions/{session}", "getSession", use: getSession)
        routes.on(.post, "sessions/{session}/revoke", "revokeSession", use: revokeSession)
        return routes
    }
}
