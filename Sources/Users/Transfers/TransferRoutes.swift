package import Access
package import Apple
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// The routes that move a tenant's users when an app goes to another Apple team, below `/v1/tenants/{tenant}`.
///
///     createTransfer → collectTransfer, repeatedly          the old team's key: one transfer identifier per user
///                    → Apple transfers the app              id_tokens contain the identifier for 60 days
///                    → a user signs in                      MoveTransferredUser: found by the identifier
///                    → exchangeTransfer, repeatedly         the new team's key: the users who did not sign in
///                    → listTransferUsers, closeTransfer     the state and reason of each user
///
/// Each batch is stored in the database, so the caller may stop at any moment and continue later.
package struct TransferRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let apple: AppleClient
    let lastUsed: LastUsed
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, apple: AppleClient, lastUsed: LastUsed, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.apple, self.lastUsed, self.now) = (pool, keyring, apple, lastUsed, now)
    }

    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "transfers", "listTransfers", use: listTransfers)
        routes.on(.post, "transfers", "createTransfer", use: createTransfer)
        routes.on(.get, "transfers/{transfer}", "getTransfer", use: getTransfer)
        routes.on(.post, "transfers/{transfer}/collect", "collectTransfer", use: collectTransfer)
        routes.on(.post, "transfers/{transfer}/exchange", "exchangeTransfer", use: exchangeTransfer)
        routes.on(.post, "transfers/{transfer}/retry", "retryTransfer", use: retryTransfer)
        routes.on(.post, "transfers/{transfer}/close", "closeTransfer", use: closeTransfer)
        routes.on(.get, "transfers/{transfer}/users", "listTransferUsers", use: listTransferUsers)
        return routes
    }
}
