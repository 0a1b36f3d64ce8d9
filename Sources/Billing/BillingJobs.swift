import Access
package import Foundation
import Ledger
package import Logging
package import Postgres
package import ServiceLifecycle

/// The background work of the ledger and of billing.
package struct BillingJobs: Sendable {
    let pool: DatabasePool
    /// How long after its end a month closes, in seconds.
    let grace: TimeInterval
    /// Whether this process's clock decides that a month is over, regardless of the database's clock. For development.
    let simulatesClock: Bool
    let logger: Logger
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, grace: TimeInterval = CloseStatements.grace, simulatesClock: Bool = false, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.grace, self.simulatesClock, self.logger, self.now) = (pool, grace, simulatesClock, logger, now)
    }

    package var passes: [any Service] {
        [
            Recurring("aggregate usage", every: .seconds(2), logger: logger) { [pool, now] in
                try await RollUp(pool: pool).add(waits: false, at: now())
            },
            Recurring("check budgets in money", every: .seconds(600), logger: logger) { [pool, now] in
                try await Budget.watchAmounts(in: pool, at: now())
            },
            Recurring("close months", every: .seconds(600), logger: logger) { [pool, grace, simulatesClock, logger, now] in
                try await CloseStatements(pool: pool, grace: grace, simulatesClock: simulatesClock, logger: logger).pass(at: now())
            },
            Recurring("create ledger partitions", every: .seconds(600), logger: logger) { [pool, logger, now] in
                try await UsagePartitions(pool: pool, logger: logger).pass(at: now())
            },
        ]
    }
}
