/// The durations of requests by kind, measured by one worker.
struct Timings: Sendable {
    /// Milliseconds.
    private(set) var samples: [String: [Double]] = [:]

    /// Runs one request, or several that belong together, and records the duration.
    mutating func time<T>(_ kind: String, _ body: (inout Timings) async throws -> T) async rethrows -> T {
        let start = ContinuousClock.now
        let result = try await body(&self)
        samples[kind, default: []].append(start.duration(to: .now) / .milliseconds(1))
        return result
    }

    mutating func add(_ other: Timings) {
        samples.merge(other.samples) { $0 + $1 }
    }

    struct Summary: Encodable {
        let kind: String
        let count: Int
        let p50, p99, slowest: Double
    }

    /// In the order of their names.
    var summaries: [Summary] {
        samples.sorted { $0.key < $1.key }.map { kind, samples in
            let sorted = samples.sorted()
            // The nearest rank: the smallest value that is greater than or equal to the given part of all values.
            func percentile(_ part: Double) -> Double { sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)] }
            return Summary(kind: kind, count: sorted.count, p50: percentile(0.5), p99: percentile(0.99), slowest: sorted[sorted.count - 1])
        }
    }
}
