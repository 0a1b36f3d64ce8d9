package import Foundation
package import Logging
package import Postgres
import Tenancy

/// Makes the ledger's parts ahead of their months, and those of months whose events have come without one.
///
/// A login never waits for it: until its month has a part, its event is in the default one, and moves when the part is made.
package struct UsagePartitions: Sendable {
    /// How many months ahead: so many that weeks of failure are no harm.
    private static let ahead = 3
    /// Making a part waits for those who write and read now, and all who come meanwhile wait behind it; so it soon gives up, and tries
    /// again with the next pass.
    static let patience: SQL = "SELECT set_config('lock_timeout', '1000', true)"

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
            } catch {
                try Task.checkCancellation()
                logger.error("a part of the ledger could not be made", metadata: ["month": "\(month)", "cause": "\(error)"])
            }
        }
        return made
    }

    /// - Returns: whether there was none yet.
    static func create(_ month: Month, in database: PlatformDatabase) async throws -> Bool {
        try await database.run([patience, "SELECT create_usage_partition(\(month)) AS made"])[1][0].get("made")
    }
}
