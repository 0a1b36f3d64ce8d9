package import Logging
import ServiceLifecycle

/// A pass of background work that runs at the start of the process and repeats until its end.
///
/// A failed pass is logged, and the next pass tries again. Every process may run it, so a pass takes only rows that no other process has
/// taken.
package struct Recurring: Service {
    private let name: String
    private let interval: Duration
    private let logger: Logger
    private let pass: @Sendable () async throws -> Void

    /// - Parameters:
    /// - name: the name in the log.
    /// - interval: the time from the end of one pass to the start of the next.
    package init(_ name: String, every interval: Duration, logger: Logger, pass: @escaping @Sendable () async throws -> Void) {
        (self.name, self.interval, self.logger, self.pass) = (name, interval, logger, pass)
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                do { try await pass() } catch {
                    // The service ends only on cancellation, because a service that ends stops all others.
                    try Task.checkCancellation()
                    logger.error("background pass failed", metadata: ["pass": "\(name)", "cause": "\(error)"])
                }
                try await Task.sleep(for: interval)
            }
        }
    }
}
