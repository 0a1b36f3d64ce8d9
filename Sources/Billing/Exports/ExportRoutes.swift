package import Access
package import Foundation
package import Hummingbird
package import Logging
package import Postgres
import Web

/// Exports of the events of the ledger and of the charges, as files.
/// Routes for operators and tenants, below `/v1`.
package struct ExportRoutes: Sendable {
    let pool: DatabasePool
    let publicURL: String
    /// How long after a login its event may come to light, in seconds.
    let settling: TimeInterval
    let logger: Logger
    let now: @Sendable () -> Date
    let exports = ExportLimit()
    let turns: ExportTurns

    /// - Parameter logins: the pool of logins, which have precedence.
    package init(
        pool: DatabasePool, logins: DatabasePool, publicURL: String, settling: TimeInterval, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        // A turn needs a connection.
        turns = ExportTurns(count: pool.maximumConnections, before: logins)
        (self.pool, self.publicURL, self.settling, self.logger, self.now) = (pool, publicURL, settling, logger, now)
    }

    package var keyRoutes: RouteCollection<KeyContext> {
        let routes = RouteCollection(context: KeyContext.self)
        routes.on(.get, "usage/export", "exportUsage", use: exportUsage)
        routes.on(.get, "usage/export/manifest", "getUsageExportManifest", use: getUsageExportManifest)
        return routes
    }
}
