package import Logging
package import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// The second signal arrived before the services had finished.
    struct Interrupted: Error, CustomStringConvertible {
        let description = "Stopped by the second signal, before all requests were finished."
    }

    /// Runs services until one of them ends, or until the first SIGTERM or SIGINT. Then the services finish their work, from the last to
    /// the first. A second signal stops them at once. A group's own handling of signals does not do this.
    ///
    /// - Throws: The error of a service; `Interrupted`.
    package static func run(_ services: [any Service], logger: Logger) async throws {
        let group = ServiceGroup(configuration: .init(services: services.map { .init(service: $0) }, logger: logger))
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await group.run() }
            tasks.addTask {
                var isStopping = false
                for await _ in signals {
                    if isStopping { throw Interrupted() }
                    isStopping = true
                    await group.triggerGracefulShutdown()
                }
            }
            // The signals end only when the group ends, or with an error.
            try await tasks.next()
        }
    }
}
