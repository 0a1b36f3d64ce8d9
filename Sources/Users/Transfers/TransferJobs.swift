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
            Recurring("forget transfer identifiers", every: .seconds(60), logger: logger) { [pool, logger, now] in
                try await ForgetTransferIdentifiers(pool: pool, logger: logger).pass(at: now())
            },
            Recurring("fold transfer counts", every: .seconds(60), logger: logger) { [pool] in
                try await TransferCount.fold(in: pool)
            },
        ]
    }
}
