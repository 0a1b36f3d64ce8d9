package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Manages the tokens with which software registers applications of a tenant (RFC 7591, section 1.2).
///
/// A token has an end of its validity, a number of registrations, and the permitted kinds of applications. The response shows it once. A
/// revocation takes effect at once, because each registration reads the row. It does not affect registered applications.
package struct InitialAccessTokenRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.now) = (pool, keyring, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "initial-access-tokens", "issueInitialAccessToken", use: issueInitialAccessToken)
        routes.on(.get, "initial-access-tokens", "listInitialAccessTokens", use: listInitialAccessTokens)
        routes.on(.get, "initial-access-tokens/{initialAccessToken}", "getInitialAccessToken", use: getInitialAccessToken)
        routes.on(
            .post, "initial-access-tokens/{initialAccessToken}/revoke", "revokeInitialAccessToken", use: revokeInitialAccessToken)
        return routes
    }
}
