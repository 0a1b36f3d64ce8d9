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
        try await Self.alternate(name, count, slice: count, background: background, [(self, operation)])[0]
    }

    typealias Operation = @Sendable (_ number: Int, inout Timings) async throws -> Void

    /// Measures the same operations of several services at the same time: a slice of one service, a slice of the next one, and so on. Other
    /// load of the machine changes from second to second, so each service meets the same. CPU time counts during all slices. A service
    /// that waits for its turn uses almost none.
    /// - Parameter slice: The number of operations before the next service has its turn.
    static func alternate(
        _ name: String, _ count: Int, slice: Int, background: Duration = .zero, _ services: [(meter: Meter, operation: Operation)]
    ) async throws -> [Measurement] {
        var measurements = services.map { _ in Measurement(name: name) }
        let before = try services.map { try $0.meter.processorTimes }
        let slice = max(1, min(slice, count))
        for (turn, first) in stride(from: 0, to: count, by: slice).enumerated() {
            let numbers = first..<min(count, first + slice)
            // With two services, each is first in half of the turns. More services keep their order, so that each runs after the same one.
            let isReversed = services.count == 2 && !turn.isMultiple(of: 2)
            for index in isReversed ? services.indices.reversed() : Array(services.indices) {
                let (start, own) = (ContinuousClock.now, try services[index].meter.processorTimes)
                measurements[index].timings.add(try await services[index].meter.timings(of: numbers, services[index].operation))
                measurements[index].seconds += start.duration(to: .now) / .seconds(1)
                measurements[index].count += numbers.count
                if background == .zero { measurements[index].add(own, try services[index].meter.processorTimes) }
            }
        }
        if background > .zero {
            try await Task.sleep(for: background)
            for (index, (meter, _)) in services.enumerated() { measurements[index].add(before[index], try meter.processorTimes) }
        }
        return measurements
    }

    private var processorTimes: (service: Double, postgres: Double) {
        get throws { (try stage.service.processorTime, try stage.postgres.processorTimeWithChildren) }
    }

    private func timings(of numbers: Range<Int>, _ operation: @escaping Operation) async throws -> Timings {
        let next = Counter(from: numbers.lowerBound)
        return try await withThrowingTaskGroup(of: Timings.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var timings = Timings()
                    while let number = next.take(below: numbers.upperBound) { try await operation(number, &timings) }
                    return timings
                }
            }
            return try await group.reduce(into: Timings()) { $0.add($1) }
        }
    }
}

/// Assigns each operation number once, to any worker.
private final class Counter: Sendable {
    private let next: Atomic<Int>

    init(from first: Int) {
        next = Atomic(first)
    }

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

    fileprivate mutating func add(_ before: (service: Double, postgres: Double), _ after: (service: Double, postgres: Double)) {
        serviceSeconds += after.service - before.service
        postgresSeconds += after.postgres - before.postgres
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
