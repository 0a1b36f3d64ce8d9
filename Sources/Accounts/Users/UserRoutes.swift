package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
package import Sessions
package import Tenancy
package import Web

/// A tenant's users and their deletions, for those who run the tenant and for the person.
package struct UserRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let endpoints: TenantEndpoints
    let tokens: Tokens
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, endpoints: TenantEndpoints, tokens: Tokens, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.endpoints, self.tokens, self.now) = (pool, keyring, endpoints, tokens, now)
    }

    /// For the person, by an access token.
    package var personRoutes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let own = routes.limited(.oauth, endpoints.limits)
        own.on(.delete, "t/{tenant}/users/me", "deleteOwnUser", use: deleteOwnUser)
        own.on(.get, "t/{tenant}/users/me/identities", "listOwnIdentities", use: listOwnIdentities)
        own.on(.post, "t/{tenant}/users/me/identities", "addOwnIdentity", use: addOwnIdentity)
        own.on(.post, "t/{tenant}/users/me/identities/completion", "completeOwnIdentity", use: completeOwnIdentity)
        own.on(.delete, "t/{tenant}/users/me/identities/{identity}", "removeOwnIdentity", use: removeOwnIdentity)
        return routes
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "users", "listUsers", use: listUsers)
        routes.on(.get, "users/{user}", "getUser", use: getUser)
        routes.on(.delete, "users/{user}", "deleteUser", use: deleteUser)
        routes.on(.get, "users/{user}/identities", "listIdentities", use: listIdentities)
        routes.on(.post, "users/{user}/identities", "addIdentity", use: addIdentity)
        routes.on(.delete, "users/{user}/identities/{identity}", "removeIdentity", use: removeIdentity)
        routes.on(.get, "users/{user}/consents", "listConsents", use: listConsents)
        routes.on(.delete, "users/{user}/consents/{consent}", "revokeConsent", use: revokeConsent)
        routes.on(.get, "user-deletions", "listUserDeletions", use: listUserDeletions)
        routes.on(.get, "user-deletions/{deletion}", "getUserDeletion", use: getUserDeletion)
        return routes
    }
}
