import Access
package import Foundation
package import Logging
package import Postgres
package import ServiceLifecycle

/// The background work on the logins of terminals.
package struct TerminalJobs: Sendable {
    let pool: DatabasePool
    let logger: Logger
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.logger, self.now) = (pool, logger, now)
    }

    package var passes: [any Service] {
        [
            Recurring(.forgetTerminals, every: .seconds(600), in: pool, logger: logger) { [now] database in
                try await PersonDevice.forgetOld(in: database, at: now())
            }
        ]
    }
}
