package import Logging
import ServiceLifecycle

/// A pass of background work, made at the start of the process and again and again until its end. A pass that fails is logged and
/// made anew at its next turn; every process may run it, so a pass takes only rows that nobody else has taken.
package struct Recurring: Service {
    private let name: String
    private let interval: Duration
    private let logger: Logger
    private let pass: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - name: what the log calls it.
    ///   - interval: from the end of one pass to the beginning of the next.
    package init(_ name: String, every interval: Duration, logger: Logger, pass: @escaping @Sendable () async throws -> Void) {
        (self.name, self.interval, self.logger, self.pass) = (name, interval, logger, pass)
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                do { try await pass() } catch {
                    // Ends only when it is told to: a service that ends takes all others with it.
                    try Task.checkCancellation()
                    logger.error("a background pass failed", metadata: ["pass": "\(name)", "cause": "\(error)"])
                }
                try await Task.sleep(for: interval)
            }
        }
    }
}
