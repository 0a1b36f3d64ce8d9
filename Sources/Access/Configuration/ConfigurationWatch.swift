package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle

/// Keeps the caches of a process true: hears the database's notifications of changed configuration, and
/// empties everything whenever it cannot hear them.
package struct ConfigurationWatch: Service {
    private let pool: DatabasePool
    private let forget: @Sendable (UUID) -> Void
    private let forgetAll: @Sendable (_ isFresh: Bool) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - forget: empties what belongs to this owner in every cache.
    ///   - forgetAll: empties every cache, and tells it whether changes are heard.
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
                    logger.warning("configuration changes are not heard; reading them afresh")
                case .notification(_, let payload):
                    if let owner = UUID(uuidString: payload) { forget(owner) } else { forgetAll(true) }
                }
            }
        }
    }
}
