package import Access
package import Foundation
package import Logging
import Postgres
import ServiceLifecycle

/// Removes events older than 30 days and their deliveries, and the rows of terminals that no longer listen.
///
/// It removes 1,000 at a time, so that no transaction is long. Every process does this. A process that meets another one at the same rows
/// waits, and then finds them removed.
package struct PruneWebhooks: Service {
    private let database: PlatformDatabase
    private let logger: Logger
    private let now: @Sendable () -> Date

    package init(database: PlatformDatabase, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.database, self.logger, self.now) = (database, logger, now)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            // Runs about once an hour, at different times in the processes of an installation.
            while (try? await Task.sleep(for: .seconds(3600) * Double.random(in: 0.5...1))) != nil {
                do {
                    var passes = 0
                    while try await pass(at: now()) == Self.batch, passes < 100 { passes += 1 }
                    try await forgetListeners(at: now())
                } catch {
                    logger.warning("cannot remove old webhook events", metadata: ["cause": "\(error)"])
                }
            }
        }
    }

    private static let batch = 1000

    /// Removes one batch of old events.
    /// - Returns: the number of removed events, at most 1,000.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        try await database.run(
            """
            DELETE FROM webhook_event AS v USING (
                SELECT tenant_id, id FROM webhook_event WHERE occurred_at < \(now.addingTimeInterval(-WebhookEvent.retention))
                ORDER BY occurred_at LIMIT \(Self.batch)) AS old
            WHERE v.tenant_id = old.tenant_id AND v.id = old.id
            """
        ).affected
    }

    /// Removes the rows of connections that ended without a trace, such as those of a killed process. They keep no events, but each one would
    /// remain until the tenant's next connection.
    package func forgetListeners(at now: Date) async throws {
        try await database.remove { WebhookListener.forgetOld(before: now, upTo: $0) }
    }
}
