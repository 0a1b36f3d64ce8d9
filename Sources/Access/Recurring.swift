package import Logging
package import Postgres
import ServiceLifecycle

/// A pass of background work that runs at the start of the process and repeats until its end.
///
/// A failed pass is logged and repeated after at most 30 seconds. Every process may run it, so a pass takes only rows that no other process has
/// taken. It receives the database for its own work, and no other access.
package struct Recurring: Service {
    private static let longestDelayAfterFailure = Duration.seconds(30)
    private let database: PlatformDatabase
    private let interval: Duration
    private let logger: Logger
    private let pass: @Sendable (PlatformDatabase) async throws -> Void

    /// - Parameters:
    /// - work: the work of each pass. Its name is in the log.
    /// - interval: the time from the end of a successful pass to the start of the next.
    package init(
        _ work: PlatformDatabase.Work, every interval: Duration, in pool: DatabasePool, logger: Logger,
        pass: @escaping @Sendable (PlatformDatabase) async throws -> Void
    ) {
        database = PlatformDatabase(pool, for: work)
        (self.interval, self.logger, self.pass) = (interval, logger, pass)
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                var delay = interval
                do { try await pass(database) } catch {
                    // The service ends only on cancellation, because a service that ends stops all others.
                    try Task.checkCancellation()
                    logger.error("background pass failed", metadata: ["pass": "\(database.work.rawValue)", "cause": "\(error)"])
                    delay = min(interval, Self.longestDelayAfterFailure)
                }
                try await Task.sleep(for: delay)
            }
        }
    }
}
