package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle

/// Receives the database's notifications of changed configuration for the caches of a process.
///
/// It empties every cache when it loses the notifications.
package struct ConfigurationWatch: Service {
    private let pool: DatabasePool
    private let forget: @Sendable (UUID) -> Void
    private let forgetAll: @Sendable (_ isFresh: Bool) -> Void
    private let logger: Logger

    /// - Parameters:
    /// - forget: empties the entries of this owner in every cache.
    /// - forgetAll: empties every cache, and reports whether notifications arrive.
    package init(
        pool: DatabasePool, logger: Logger, forget: @escaping @Sendable (UUID) -> Void,
        forgetAll: @escaping @Sendable (_ isFresh: Bool) -> Void
    ) {
        (self.pool, self.logger, self.forget, self.forgetAll) = (pool, logger, forget, forgetAll)
    }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            for try await event in pool.listen(["espalier_configuration"]) {
                switch event {
                case .connected: forgetAll(true)
                case .disconnected:
                    forgetAll(false)
                    logger.warning("notifications of configuration changes lost; caches emptied")
                case .notification(_, let payload):
                    if let owner = UUID(uuidString: payload) { forget(owner) } else { forgetAll(true) }
                }
            }
        }
    }
}
