package import Logging
package import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// The second signal came while something was in flight.
    struct Interrupted: Error, CustomStringConvertible {
        let description = "Stopped at the second signal, before everything was finished."
    }

    /// Runs services until one of them ends, or until the first SIGTERM or SIGINT: then they finish what is in flight, from the last one
    /// to the first. A second signal cuts that short, which a group's own handling of signals does not.
    ///
    /// - Throws: what a service threw; `Interrupted`.
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
            // The signals end only with the group, or by throwing.
            try await tasks.next()
        }
    }
}
