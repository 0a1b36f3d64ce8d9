import Synchronization

/// Runs many concurrent operations, and reads the clock and the processes' CPU time before and after.
struct Meter: Sendable {
    private let stage: Stage
    private let concurrency: Int

    init(_ stage: Stage, concurrency: Int) {
        (self.stage, self.concurrency) = (stage, concurrency)
    }

    /// - Parameters:
    ///   - background: The time after the operations in which CPU time still counts. The service aggregates logins every 2 seconds.
    ///   - operation: Receives its number, from 0. The first error ends all operations.
    func run(
        _ name: String, _ count: Int, background: Duration = .zero,
        _ operation: @escaping @Sendable (_ number: Int, inout Timings) async throws -> Void
    ) async throws -> Measurement {
        var measurement = Measurement(name: name)
        let (service, postgres) = (try stage.service.processorTime, try stage.postgres.processorTimeWithChildren)
        let start = ContinuousClock.now
        measurement.timings = try await timings(of: count, operation)
        measurement.seconds = start.duration(to: .now) / .seconds(1)
        measurement.count = count
        try await Task.sleep(for: background)
        measurement.serviceSeconds = try stage.service.processorTime - service
        measurement.postgresSeconds = try stage.postgres.processorTimeWithChildren - postgres
        return measurement
    }

    private func timings(
        of count: Int, _ operation: @escaping @Sendable (_ number: Int, inout Timings) async throws -> Void
    ) async throws -> Timings {
        let next = Counter()
        return try await withThrowingTaskGroup(of: Timings.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var timings = Timings()
                    while let number = next.take(below: count) { try await operation(number, &timings) }
                    return timings
                }
            }
            return try await group.reduce(into: Timings()) { $0.add($1) }
        }
    }
}

/// Assigns each operation number once, to any worker.
private final class Counter: Sendable {
    private let next = Atomic(0)

    func take(below end: Int) -> Int? {
        let number = next.add(1, ordering: .relaxed).oldValue
        return number < end ? number : nil
    }
}

/// The measurement of one kind of operation.
struct Measurement: Sendable {
    let name: String
    var count = 0
    var seconds = 0.0
    /// CPU time.
    var serviceSeconds = 0.0
    var postgresSeconds = 0.0
    var timings = Timings()

    init(name: String) {
        self.name = name
    }

    /// Adds another round of the same measurement.
    static func += (sum: inout Measurement, round: Measurement) {
        sum.count += round.count
        sum.seconds += round.seconds
        sum.serviceSeconds += round.serviceSeconds
        sum.postgresSeconds += round.postgresSeconds
        sum.timings.add(round.timings)
    }
}
