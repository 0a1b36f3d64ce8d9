package import Logging
package import ServiceLifecycle
import UnixSignals

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service that the log names by its type. By default, the name is the text of all values that the service holds.
    package init(named service: any Service) {
        self.init(service: service, serviceName: "\(type(of: service))")
    }
}

extension ServiceGroup {
    /// The second signal arrived before the services had finished.
    struct Interrupted: Error, CustomStringConvertible {
        let description = "Stopped by the second signal, before all requests were finished."
    }

    /// Runs services until one of them ends, or until the first SIGTERM or SIGINT. Then the services finish their work, from the last to
    /// the first. A second signal stops them at once. A group's own handling of signals does not do this.
    ///
    /// - Parameters:
    ///   - delay: The time between the first signal and the stop of the services.
    ///   - onSignal: Called at the first signal.
    /// - Throws: The error of a service; `Interrupted`.
    package static func run(
        _ services: [any Service], logger: Logger, delay: Duration = .zero, onSignal: @escaping @Sendable () -> Void = {}
    ) async throws {
        let group = ServiceGroup(configuration: .init(services: services.map { .init(named: $0) }, logger: logger))
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await group.run() }
            tasks.addTask {
                try await withThrowingTaskGroup(of: Void.self) { stop in
                    defer { stop.cancelAll() }
                    var isStopping = false
                    for await _ in signals {
                        if isStopping { throw Interrupted() }
                        isStopping = true
                        onSignal()
                        // In another task, because the second signal must not wait for the delay.
                        stop.addTask {
                            try await Task.sleep(for: delay)
                            await group.triggerGracefulShutdown()
                        }
                    }
                }
            }
            // The signals end only when the group ends, or with an error.
            try await tasks.next()
        }
    }
}
