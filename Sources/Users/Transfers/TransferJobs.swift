import Access
package import Foundation
package import Logging
package import Postgres
package import ServiceLifecycle

/// The background work of team transfers.
package struct TransferJobs: Sendable {
    let pool: DatabasePool
    let logger: Logger
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.logger, self.now) = (pool, logger, now)
    }

    package var passes: [any Service] {
        [
            Recurring(.forgetTransferIdentifiers, every: .seconds(60), in: pool, logger: logger) { [logger, now] database in
                try await ForgetTransferIdentifiers(database: database, logger: logger).pass(at: now())
            },
            Recurring(.mergeTransferCounts, every: .seconds(60), in: pool, logger: logger) { database in
                try await TransferCount.fold(in: database)
            },
        ]
    }
}
