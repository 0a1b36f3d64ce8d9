package import Access
package import Foundation
package import Logging
package import Postgres

/// Creates the ledger's monthly partitions in advance, and those of months whose events arrived without one.
///
/// A login never waits for this. Until its month has a partition, its event is in the default partition. It moves when the partition is
/// created.
package struct UsagePartitions: Sendable {
    /// The number of months in advance. Even weeks of failure then cause no harm.
    private static let ahead = 3
    private let database: PlatformDatabase
    private let logger: Logger

    package init(database: PlatformDatabase, logger: Logger) {
        (self.database, self.logger) = (database, logger)
    }

    /// Creates all missing partitions.
    /// - Returns: the months whose partitions were created.
    @discardableResult
    package func pass(at now: Date) async throws -> [Month] {
        let wanted = (0..<Self.ahead).reduce(into: [Month(now)]) { months, _ in months.append(months.last!.next) }
        let missing = try await database.run("SELECT month FROM missing_usage_partitions(\(wanted)) AS month")
            .map { try $0.get("month", as: Month.self) }
        var made: [Month] = []
        for month in missing {
            do {
                if try await Self.create(month, in: database) { made.append(month) }
            } catch let error as DatabaseError where error.isLockTimeout {
                // Another transaction is reading the whole ledger. Logins must not wait for it, so the next pass tries again.
                logger.info("ledger partition not created yet", metadata: ["month": "\(month)"])
            } catch {
                try Task.checkCancellation()
                logger.error("cannot create a ledger partition", metadata: ["month": "\(month)", "cause": "\(error)"])
            }
        }
        return made
    }

    /// Locks the partition with a month's events until the end of a transaction that reads them with COPY.
    ///
    /// COPY takes its snapshot before it waits for its locks. While a partition is being created or removed, COPY would see no events and
    /// end normally.
    static func hold(_ month: Month) -> SQL {
        SQL(unsafe: "SELECT FROM usage_event WHERE billing_period = date '\(month.firstDay)' LIMIT 0")
    }

    /// Creates the partition of a month.
    /// - Returns: whether it created the partition.
    /// - Throws: `DatabaseError` with `isLockTimeout` if the lock on the ledger was not available within 0.5 s.
    static func create(_ month: Month, in database: PlatformDatabase) async throws -> Bool {
        try await database.run("SELECT create_usage_partition(\(month)) AS made")[0].get("made")
    }
}

extension DatabaseError {
    /// Whether a lock was not available within `lock_timeout`.
    package var isLockTimeout: Bool { sqlState == "55P03" }
}
