import Access
package import Foundation
package import Logging
package import Postgres

/// Makes the ledger's parts ahead of their months, and those of months whose events have come without one.
///
/// A login never waits for it: until its month has a part, its event is in the default one, and moves when the part is made.
package struct UsagePartitions: Sendable {
    /// How many months ahead: so many that weeks of failure are no harm.
    private static let ahead = 3
    private let pool: DatabasePool
    private let logger: Logger

    package init(pool: DatabasePool, logger: Logger) {
        (self.pool, self.logger) = (pool, logger)
    }

    /// - Returns: the months that have a part now and had none.
    @discardableResult
    package func pass(at now: Date) async throws -> [Month] {
        let database = PlatformDatabase(pool)
        let wanted = (0..<Self.ahead).reduce(into: [Month(now)]) { months, _ in months.append(months.last!.next) }
        let missing = try await database.run("SELECT month FROM missing_usage_partitions(\(wanted)) AS month")
            .map { try $0.get("month", as: Month.self) }
        var made: [Month] = []
        for month in missing {
            do {
                if try await Self.create(month, in: database) { made.append(month) }
            } catch let error as DatabaseError where error.isLockTimeout {
                // Somebody reads all of the ledger. Who signs in must not wait for that: the next pass tries again.
                logger.info("a part of the ledger could not be made for now", metadata: ["month": "\(month)"])
            } catch {
                try Task.checkCancellation()
                logger.error("a part of the ledger could not be made", metadata: ["month": "\(month)", "cause": "\(error)"])
            }
        }
        return made
    }

    /// Locks the part that a month's events are in until the transaction ends; for a transaction that is to COPY them.
    ///
    /// COPY decides what it sees before it waits for its locks. Of a month whose part is being made, or is being taken out, it would
    /// see nothing, and come to an end as though that were all.
    static func hold(_ month: Month) -> SQL {
        SQL(unsafe: "SELECT FROM usage_event WHERE billing_period = date '\(month.firstDay)' LIMIT 0")
    }

    /// - Returns: whether there was none yet.
    /// - Throws: `DatabaseError` whose `isLockTimeout` is true where half a second was not enough to have the ledger for itself.
    static func create(_ month: Month, in database: PlatformDatabase) async throws -> Bool {
        try await database.run("SELECT create_usage_partition(\(month)) AS made")[0].get("made")
    }
}

extension DatabaseError {
    /// Whether a lock was not had within `lock_timeout`.
    package var isLockTimeout: Bool { sqlState == "55P03" }
}
