import Foundation

/// The measurements of two programs in alternating rounds.
struct Comparison: Sendable {
    struct Round: Sendable {
        let before, after: Report
        /// Of `Floor`.
        var minimal: Report?
    }

    var rounds: [Round] = []

    /// The ratios of one kind of operation, after divided by before. Below 1 is better for CPU time, above 1 for the rate.
    private struct Ratio: Encodable {
        let name: String
        /// CPU time of the service and PostgreSQL per operation, in milliseconds. The median of the rounds.
        let before_ms, after_ms: Double
        let ratio, lowest, highest: Double
        let service_ratio, postgres_ratio, rate_ratio: Double
    }

    private var ratios: [Ratio] {
        guard let names = rounds.first?.after.measurements.filter({ $0.count > 0 }).map(\.name) else { return [] }
        return names.map { name in
            func values(_ value: (Measurement) -> Double) -> [(before: Double, after: Double)] {
                rounds.compactMap { round in
                    guard let before = round.before.measurements.first(where: { $0.name == name }),
                        let after = round.after.measurements.first(where: { $0.name == name })
                    else { return nil }
                    return (value(before), value(after))
                }
            }
            func ratios(_ value: (Measurement) -> Double) -> [Double] { values(value).map { $0.after / $0.before }.sorted() }
            let cpu = values { $0.perOperation(\.serviceSeconds) + $0.perOperation(\.postgresSeconds) }
            let ratio = ratios { $0.perOperation(\.serviceSeconds) + $0.perOperation(\.postgresSeconds) }
            return Ratio(
                name: name, before_ms: Self.median(cpu.map(\.before)), after_ms: Self.median(cpu.map(\.after)),
                ratio: Self.median(ratio), lowest: ratio.first ?? .nan, highest: ratio.last ?? .nan,
                service_ratio: Self.median(ratios { $0.perOperation(\.serviceSeconds) }),
                postgres_ratio: Self.median(ratios { $0.perOperation(\.postgresSeconds) }),
                rate_ratio: Self.median(ratios { Double($0.count) / $0.seconds }))
        }
    }

    /// The ratio that a kind of operation would have if the service did only what `Floor` does: the time of `Floor` plus PostgreSQL's time of
    /// the revision, divided by the time before.
    private struct LowestRatio: Encodable {
        let name: String
        /// The service's CPU time per operation in milliseconds: the revision's and the minimal server's. The medians of the rounds.
        let service_ms, minimal_service_ms: Double
        /// PostgreSQL's CPU time per operation for the revision's statements. The floor has it, too.
        let postgres_ms: Double
        let ratio, lowest, highest: Double
    }

    private var floor: [LowestRatio] {
        guard let names = rounds.first?.minimal?.measurements.filter({ $0.count > 0 }).map(\.name) else { return [] }
        return names.map { name in
            let found = rounds.compactMap { round -> (before: Measurement, after: Measurement, minimal: Measurement)? in
                func measurement(_ report: Report?) -> Measurement? { report?.measurements.first { $0.name == name } }
                guard let before = measurement(round.before), let after = measurement(round.after), let minimal = measurement(round.minimal)
                else { return nil }
                return (before, after, minimal)
            }
            let ratio = found.map { round in
                (round.minimal.perOperation(\.serviceSeconds) + round.after.perOperation(\.postgresSeconds))
                    / (round.before.perOperation(\.serviceSeconds) + round.before.perOperation(\.postgresSeconds))
            }.sorted()
            return LowestRatio(
                name: name, service_ms: Self.median(found.map { $0.after.perOperation(\.serviceSeconds) }),
                minimal_service_ms: Self.median(found.map { $0.minimal.perOperation(\.serviceSeconds) }),
                postgres_ms: Self.median(found.map { $0.after.perOperation(\.postgresSeconds) }), ratio: Self.median(ratio),
                lowest: ratio.first ?? .nan, highest: ratio.last ?? .nan)
        }
    }

    static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The medians of the memory at the end, in megabytes (PSS).
    private var memory: (before: Double, after: Double) {
        func values(of report: KeyPath<Round, Report>) -> [Double] {
            rounds.compactMap { $0[keyPath: report].atEnd?.proportional }
        }
        return (Self.median(values(of: \.before)), Self.median(values(of: \.after)))
    }

    /// The result for a person.
    var table: String {
        guard let (before, first) = rounds.first.map({ ($0.before, $0.after) }) else { return "" }
        func row(_ name: String, _ numbers: [(Double, Int)]) -> String {
            name.padding(toLength: 16, withPad: " ", startingAt: 0)
                + numbers.map { value, digits in
                    let text = String(format: "%.\(digits)f", value)
                    return String(repeating: " ", count: max(0, 10 - text.count)) + text
                }.joined()
        }
        let tenants = before.tenants == first.tenants ? "\(first.tenants) tenants" : "\(before.tenants) and \(first.tenants) tenants"
        let title = "\(rounds.count) rounds, \(tenants), \(first.users) users, \(first.concurrency) at once"
        func head(_ names: String...) -> String {
            "CPU an operation" + names.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined()
        }
        var lines = [title, "", head("before ms", "after ms", "ratio", "lowest", "highest", "service", "PostgreSQL", "rate")]
        lines += ratios.map {
            row(
                $0.name,
                [
                    ($0.before_ms, 3), ($0.after_ms, 3), ($0.ratio, 2), ($0.lowest, 2), ($0.highest, 2), ($0.service_ratio, 2),
                    ($0.postgres_ratio, 2), ($0.rate_ratio, 2),
                ])
        }
        lines += ["", row("memory (PSS) MB", [(memory.before, 1), (memory.after, 1), (memory.after / memory.before, 2)])]
        if !floor.isEmpty {
            lines += ["", "The floor: only connections, driver, calls to Apple and signatures in the service", ""]
            lines.append(head("service", "minimal", "PostgreSQL", "floor", "lowest", "highest"))
            lines += floor.map {
                row(
                    $0.name,
                    [
                        ($0.service_ms, 3), ($0.minimal_service_ms, 3), ($0.postgres_ms, 3), ($0.ratio, 2), ($0.lowest, 2), ($0.highest, 2),
                    ])
            }
        }
        return lines.joined(separator: "\n")
    }

    var json: String {
        get throws {
            struct Document: Encodable {
                let rounds, tenants_before, tenants, users, concurrency: Int
                let operations: [Ratio]
                let floor: [LowestRatio]
                let memory_before_mb, memory_after_mb: Double
            }
            guard let (before, first) = rounds.first.map({ ($0.before, $0.after) }) else { return "{}" }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let document = Document(
                rounds: rounds.count, tenants_before: before.tenants, tenants: first.tenants, users: first.users,
                concurrency: first.concurrency, operations: ratios, floor: floor,
                memory_before_mb: memory.before, memory_after_mb: memory.after)
            return String(decoding: try encoder.encode(document), as: UTF8.self)
        }
    }
}
