import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Postgres
import Subprocess
import SystemPackage

/// A month of a tenant with millions of logins: their size, and the time to add them up, to respond, to close the month, to export it
/// and to verify it.
///
/// One transaction writes the events into the previous month, which is then closed.
struct LedgerBench: Sendable {
    struct Result: Encodable, Sendable {
        var events = 0
        /// The size of an event in its month, including indexes.
        var bytes_an_event = 0.0
        var roll_up, close, verify: Step?
        var answer: Answer?
        var exports: [Export] = []
        var copy: Export?
    }

    struct Step: Encodable, Sendable {
        let seconds, service_seconds, postgres_seconds: Double
    }

    /// The response to a query of the tenant's usage in the month.
    struct Answer: Encodable, Sendable {
        /// The median response time in milliseconds.
        let median_ms: Double
        /// CPU time per response, in milliseconds.
        let service_ms, postgres_ms: Double
    }

    struct Export: Encodable, Sendable {
        let name: String
        let rows, bytes: Int
        let seconds, service_seconds, postgres_seconds: Double
        /// The service's highest resident memory, in megabytes (10⁶ bytes).
        let memory: Double
    }

    let stage: Stage
    let events: Int
    private let month: (from: String, to: String)

    /// The number of distinct users of the events.
    private var users: Int { max(1, events / 10) }

    init(_ stage: Stage, events: Int, at now: Date) {
        (self.stage, self.events) = (stage, events)
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let this = calendar.dateInterval(of: .month, for: now)!.start
        let day = Date.ISO8601FormatStyle().year().month().day()
        month = (calendar.date(byAdding: .month, value: -1, to: this)!.formatted(day), this.formatted(day))
    }

    func run() async throws -> Result {
        var result = Result(events: events)
        stage.say("writing \(events) events of \(users) users into \(month.from.prefix(7))")
        try await load()
        let size = try await stage.owner.run(
            SQL(unsafe: "SELECT pg_total_relation_size('usage_event_\(month.from.prefix(7).replacing("-", with: "_"))') AS bytes")
        ).first { try $0.get("bytes", as: Int.self) }
        result.bytes_an_event = Double(size ?? 0) / Double(events)

        stage.say("waiting until they are added up")
        result.roll_up = try await measured {
            try await until { try await stage.owner.run("SELECT FROM usage_arrival LIMIT 1").isEmpty }
        }
        try await stage.analyze()
        result.answer = try await answers()

        stage.say("closing the month")
        result.close = try await measured {
            _ = try await stage.program(
                "usage", "close", "--as-of", "\(month.to)T00:00:01Z",
                with: ["ESPALIER_SIMULATED_CLOCK": "true", "ESPALIER_USAGE_GRACE": "0"])
        }
        guard try await isClosed() else { throw Stage.Failure("the month was not closed") }

        for format in ["csv", "jsonl", "cloudevents"] {
            stage.say("exporting \(format)")
            result.exports.append(try await export(format))
        }
        stage.say("exporting by psql's \\copy")
        result.copy = try await copy()

        stage.say("verifying")
        result.verify = try await measured {
            _ = try await stage.program("usage", "verify", "--from", String(month.from.prefix(7)), "--to", String(month.from.prefix(7)))
        }
        return result
    }

    private func load() async throws {
        let period = SQL(unsafe: "SELECT create_usage_partition('\(month.from)')")
        // IDs in the order of time, as in the service.
        let event = SQL(
            unsafe: """
                INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
                SELECT '\(month.from)T00:00:00Z'::timestamptz + number * (('\(month.to)'::date - '\(month.from)'::date) * interval '1 day' / \(events)),
                    '\(month.from)', a.tenant_id, (lpad(to_hex(number), 12, '0') || '70008' || substr(md5(number::text), 1, 15))::uuid, a.id,
                    (substr(md5((number % \(users))::text), 1, 12) || '70008' || substr(md5((number % \(users))::text), 13, 15))::uuid,
                    'login', 'shared'
                FROM (SELECT a.tenant_id, a.id FROM application a JOIN tenant t ON t.id = a.tenant_id WHERE t.slug = 'tenant-1') AS a,
                    generate_series(0, \(events - 1)) AS number
                """)
        let arrival = SQL(
            unsafe: """
                INSERT INTO usage_arrival (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
                SELECT occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection
                FROM usage_event WHERE billing_period = '\(month.from)'
                """)
        _ = try await stage.owner.run(period)
        _ = try await stage.owner.run([event, arrival])
        _ = try await stage.owner.run("ANALYZE")
    }

    // MARK: Answers

    private func answers() async throws -> Answer {
        let url = "\(stage.serviceURL)/v1/tenants/tenant-1/usage?window=month&from=\(month.from)T00:00:00Z&to=\(month.to)T00:00:00Z"
        let client = LoadClient(connections: 1)
        var milliseconds: [Double] = []
        let times = 200
        let all = try await measured {
            for _ in 0..<times {
                let started = ContinuousClock.now
                let answer = try await client.send(
                    .GET, url, headers: [("Authorization", "Bearer \(stage.seeded.apiKey)")], expecting: 200)
                milliseconds.append((ContinuousClock.now - started) / .milliseconds(1))
                guard answer.body.contains("\"logins\":\(events)")
                else { throw Stage.Failure("the month's response does not have \(events) logins") }
            }
        }
        return Answer(
            median_ms: milliseconds.sorted()[times / 2], service_ms: all.service_seconds * 1000 / Double(times),
            postgres_ms: all.postgres_seconds * 1000 / Double(times))
    }

    private func isClosed() async throws -> Bool {
        try await !stage.owner.run(
            SQL(
                unsafe: """
                    SELECT FROM statement s JOIN tenant t ON t.id = s.tenant_id
                    WHERE t.slug = 'tenant-1' AND period = '\(month.from)' AND state = 'closed' AND events = \(events)
                    """)
        ).isEmpty
    }

    // MARK: Exports

    private func export(_ format: String) async throws -> Export {
        var request = HTTPClientRequest(
            url: "\(stage.serviceURL)/v1/usage/export?format=\(format)&from=\(month.from)T00:00:00Z&to=\(month.to)T00:00:00Z")
        request.headers.add(name: "Authorization", value: "Bearer \(stage.seeded.apiKey)")
        let sent = request
        var (bytes, lines, highest, nextLook) = (0, 0, 0.0, 0)
        let (started, service, postgres) = (
            ContinuousClock.now, try stage.service.processorTime, try stage.postgres.processorTimeWithChildren
        )
        let response = try await HTTPClient.shared.execute(sent, timeout: .seconds(1200))
        guard response.status == .ok else { throw Stage.Failure("the export failed with status \(response.status.code)") }
        for try await chunk in response.body {
            bytes += chunk.readableBytes
            lines += chunk.readableBytesView.count { $0 == UInt8(ascii: "\n") }
            guard bytes >= nextLook else { continue }
            highest = max(highest, try stage.service.memory.resident)
            nextLook = bytes + 16_000_000
        }
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let rows = format == "csv" ? lines - 1 : lines
        guard rows == events else { throw Stage.Failure("\(format) has \(rows) rows instead of \(events)") }
        return Export(
            name: format, rows: rows, bytes: bytes, seconds: seconds, service_seconds: try stage.service.processorTime - service,
            postgres_seconds: try stage.postgres.processorTimeWithChildren - postgres,
            memory: max(highest, try stage.service.memory.resident))
    }

    /// Exports the same columns with PostgreSQL's own client.
    private func copy() async throws -> Export {
        let query = """
            SELECT occurred_at, billing_period, e.id, e.tenant_id, t.slug, application_id, a.name, user_id, e.kind, e.connection
            FROM usage_event e JOIN tenant t ON t.id = e.tenant_id JOIN application a ON a.tenant_id = e.tenant_id AND a.id = e.application_id
            WHERE billing_period = '\(month.from)' ORDER BY e.tenant_id, billing_period, occurred_at, e.id
            """.replacing("\n", with: " ")
        let file = FileManager.default.temporaryDirectory.appending(path: "espalier-bench-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        let step = try await measured {
            let result = try await Subprocess.run(
                .name("psql"), arguments: [stage.ownerURL, "-q", "-c", "\\copy (\(query)) TO '\(file.path)' WITH (FORMAT csv, HEADER)"],
                output: .discarded, error: .string(limit: 1 << 16))
            guard result.terminationStatus.isSuccess else { throw Stage.Failure("psql failed: \(result.standardError)") }
        }
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        return Export(
            name: "psql", rows: events, bytes: size, seconds: step.seconds, service_seconds: step.service_seconds,
            postgres_seconds: step.postgres_seconds, memory: 0)
    }

    // MARK: Measuring

    /// A separate program that runs in `body` counts as the service.
    private func measured(_ body: () async throws -> Void) async throws -> Step {
        let (started, service, postgres) = (
            ContinuousClock.now, try stage.service.processorTime + ProcessID.processorTimeOfEndedChildren,
            try stage.postgres.processorTimeWithChildren
        )
        try await body()
        return Step(
            seconds: (ContinuousClock.now - started) / .seconds(1),
            service_seconds: try stage.service.processorTime + ProcessID.processorTimeOfEndedChildren - service,
            postgres_seconds: try stage.postgres.processorTimeWithChildren - postgres)
    }

    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(200)) }
    }
}

extension LedgerBench.Result {
    /// The result for a person.
    var table: String {
        func line(_ name: String, _ step: LedgerBench.Step?) -> String {
            guard let step else { return "" }
            return name.padding(toLength: 26, withPad: " ", startingAt: 0)
                + String(
                    format: "%8.1f s   CPU: service %.1f s, PostgreSQL %.1f s", step.seconds, step.service_seconds, step.postgres_seconds)
        }
        func line(_ export: LedgerBench.Export) -> String {
            "export \(export.name)".padding(toLength: 26, withPad: " ", startingAt: 0)
                + String(
                    format: "%8.1f s   %.0f rows/s, %.0f MB/s, CPU: service %.1f s, PostgreSQL %.1f s, memory %.0f MB", export.seconds,
                    Double(export.rows) / export.seconds, Double(export.bytes) / 1_000_000 / export.seconds, export.service_seconds,
                    export.postgres_seconds, export.memory)
        }
        var lines = ["", "Ledger of \(events) events: \(String(format: "%.0f", bytes_an_event)) bytes per event, including indexes"]
        lines += [line("added up", roll_up), line("closed", close), line("verified", verify)]
        if let answer {
            lines.append(
                "a month's answer".padding(toLength: 26, withPad: " ", startingAt: 0)
                    + String(
                        format: "%8.1f ms  CPU: service %.2f ms, PostgreSQL %.2f ms", answer.median_ms, answer.service_ms,
                        answer.postgres_ms))
        }
        lines += exports.map(line) + [copy].compactMap { $0.map(line) }
        if let copy, let csv = exports.first {
            lines.append(
                String(
                    format: "csv at %.2f of \\copy's speed, %.2f by CPU time (target 0.50)", copy.seconds / csv.seconds,
                    (copy.service_seconds + copy.postgres_seconds) / (csv.service_seconds + csv.postgres_seconds)))
        }
        return lines.joined(separator: "\n")
    }
}
