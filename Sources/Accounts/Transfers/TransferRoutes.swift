package import Access
package import Apple
package import Foundation
package import Hummingbird
package import Logging
package import Postgres
package import Sealing
import Web

/// Taking a tenant's users along when an app goes to another Apple team. Below `/v1/tenants/{tenant}`.
///
///     createTransfer → collectTransfer, again and again     the old team's key: a transfer identifier for each user
///                    → Apple transfers the app              from then on id_tokens carry the identifier for 60 days
///                    → a user signs in                      MoveTransferredUser: known by the identifier
///                    → exchangeTransfer, again and again    the new team's key: those who did not sign in
///                    → listTransferUsers, closeTransfer     who moved, who did not, and why
///
/// What was done stands in the database, a batch at a time: whoever drives this may stop at any moment and go on later.
package struct TransferRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let apple: AppleClient
    let lastUsed: LastUsed
    let logger: Logger
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, keyring: Keyring, apple: AppleClient, lastUsed: LastUsed, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.apple, self.lastUsed) = (pool, keyring, apple, lastUsed)
        (self.logger, self.now) = (logger, now)
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
