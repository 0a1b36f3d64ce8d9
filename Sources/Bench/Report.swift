import Foundation

/// The measurements of one program.
struct Report: Sendable {
    let tenants: Int
    let users: Int
    let concurrency: Int
    /// The service's memory after a number of logins.
    var memory: [MemoryAfter]
    var measurements: [Measurement] = []
    var atEnd: ProcessID.Memory?
    var ledger: LedgerBench.Result?
    var bulk: BulkBench.Result?

    struct MemoryAfter: Encodable, Sendable {
        let logins: Int
        let memory: ProcessID.Memory

        init(logins: Int, _ memory: ProcessID.Memory) {
            (self.logins, self.memory) = (logins, memory)
        }
    }

    init(tenants: Int, users: Int, concurrency: Int, memory: [MemoryAfter]) {
        (self.tenants, self.users, self.concurrency, self.memory) = (tenants, users, concurrency, memory)
    }

    // MARK: For people

    var table: String {
        let ran = measurements.filter { $0.count > 0 }
        var lines = [
            "\(tenants) tenants, \(users) users, \(concurrency) at once", "", "CPU per operation       rate/s   service   PostgreSQL",
        ]
        for measurement in ran {
            lines.append(
                pad(measurement.name, 20)
                    + number(Double(measurement.count) / measurement.seconds, 0, 10)
                    + number(measurement.perOperation(\.serviceSeconds), 3, 8) + "ms"
                    + number(measurement.perOperation(\.postgresSeconds), 3, 11) + "ms")
        }
        lines += ["", "Latency                  count    p50 ms    p99 ms   slowest"]
        for summary in ran.flatMap(\.timings.summaries) {
            lines.append(
                pad(summary.kind, 24) + number(Double(summary.count), 0, 6) + number(summary.p50, 2, 10) + number(summary.p99, 2, 10)
                    + number(summary.slowest, 2, 10))
        }
        lines += ["", "Memory of the service   resident       PSS   allocated"]
        for point in memory { lines.append(pad("after \(point.logins) logins", 22) + row(point.memory)) }
        if let atEnd { lines.append(pad("at the end", 22) + row(atEnd)) }
        if let ledger { lines.append(ledger.table) }
        if let bulk { lines.append(bulk.table) }
        return lines.joined(separator: "\n")
    }

    private func row(_ memory: ProcessID.Memory) -> String {
        number(memory.resident, 1, 8) + "MB" + number(memory.proportional, 1, 8) + "MB" + number(memory.anonymous, 1, 10) + "MB"
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }

    private func number(_ value: Double, _ digits: Int, _ width: Int) -> String {
        let text = String(format: "%.\(digits)f", value)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    // MARK: For programs

    private struct Document: Encodable {
        struct Operation: Encodable {
            let name: String
            let count: Int
            let rate, service_ms, postgres_ms: Double
            let latencies_ms: [Timings.Summary]
        }
        let tenants, users, concurrency: Int
        let operations: [Operation]
        let memory_mb: [MemoryAfter]
        let memory_at_end_mb: ProcessID.Memory?
        let ledger: LedgerBench.Result?
        let bulk: BulkBench.Result?
    }

    var json: String {
        get throws {
            let operations = measurements.filter { $0.count > 0 }.map { measurement in
                Document.Operation(
                    name: measurement.name, count: measurement.count, rate: Double(measurement.count) / measurement.seconds,
                    service_ms: measurement.perOperation(\.serviceSeconds), postgres_ms: measurement.perOperation(\.postgresSeconds),
                    latencies_ms: measurement.timings.summaries)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let document = Document(
                tenants: tenants, users: users, concurrency: concurrency, operations: operations, memory_mb: memory,
                memory_at_end_mb: atEnd, ledger: ledger, bulk: bulk)
            return String(decoding: try encoder.encode(document), as: UTF8.self)
        }
    }
}

extension Measurement {
    /// Milliseconds.
    func perOperation(_ seconds: KeyPath<Measurement, Double>) -> Double {
        self[keyPath: seconds] * 1000 / Double(count)
    }
}
