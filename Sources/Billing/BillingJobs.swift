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
            Recurring(.aggregateUsage, every: .seconds(2), in: pool, logger: logger) { [now] database in
                try await RollUp(database: database).add(waits: false, at: now())
            },
            Recurring(.checkBudgets, every: .seconds(600), in: pool, logger: logger) { [now] database in
                try await Budget.watchAmounts(in: database, at: now())
            },
            Recurring(.closeMonths, every: .seconds(600), in: pool, logger: logger) { [grace, simulatesClock, logger, now] database in
                try await CloseStatements(database: database, grace: grace, simulatesClock: simulatesClock, logger: logger).pass(at: now())
            },
            Recurring(.createPartitions, every: .seconds(600), in: pool, logger: logger) { [logger, now] database in
                try await UsagePartitions(database: database, logger: logger).pass(at: now())
            },
        ]
    }
}
