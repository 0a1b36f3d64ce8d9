import Access
import AsyncHTTPClient
import Billing
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Postgres
import Synchronization

/// Logins at a fixed rate, in turn alone and while eight exports run all the time and months are closed.
///
/// A login starts at its time, even if earlier ones still run. Otherwise a slow login would delay the start of the next ones, and their
/// waiting time would not count.
struct BulkBench: Sendable {
    struct Result: Encodable, Sendable {
        let logins_per_second: Int
        let rounds: [Round]
        /// The latencies of all rounds together. A percentile of one round depends on few logins, so a ratio of two such percentiles mostly
        /// shows what else the machine did.
        let alone, during: Latency
        /// The ratio of the 99th percentiles.
        let p99_ratio: Double
        let exported_bytes, closed_months: Int

        var meetsGoal: Bool { p99_ratio <= BulkBench.goal }
    }

    struct Round: Encodable, Sendable {
        let alone, during: Latency
    }

    /// Milliseconds from the start time of a login to its tokens.
    struct Latency: Encodable, Sendable {
        let count: Int
        let p50, p99, slowest: Double

        init(_ samples: [Double]) {
            let sorted = samples.sorted()
            func percentile(_ part: Double) -> Double { sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)] }
            (count, p50, p99, slowest) = (sorted.count, percentile(0.5), percentile(0.99), sorted[sorted.count - 1])
        }
    }

    private final class Work: Sendable {
        let isOver = Atomic(false)
        let bytes = Atomic(0)
        let months = Atomic(0)
    }

    /// The most exports that Espalier permits at a time: two of the platform and two of each of three tenants.
    private static let tenants = 3
    private static let rounds = 6
    /// The time in which the readers start.
    private static let start = Duration.seconds(1)
    private static let monthsPerRound = 3
    private static let months = rounds * monthsPerRound
    private static let eventsPerMonth = 30_000
    /// The highest ratio of the 99th percentiles that meets the goal.
    fileprivate static let goal = 1.5

    let stage: Stage
    let rate: Int
    let seconds = 10
    /// A complete login.
    let login: @Sendable (_ number: Int) async throws -> Void

    /// Whether Linux shares the processors between sessions instead of threads (sched(7)). Each PostgreSQL process is a session of its own,
    /// so each of them would get as much time as the server, the simulator and the load together.
    private static var sharesBySession: Bool {
        (try? String(contentsOfFile: "/proc/sys/kernel/sched_autogroup_enabled", encoding: .utf8))?.hasPrefix("1") == true
    }

    func run() async throws -> Result {
        if Self.sharesBySession {
            stage.say("exports delay logins more while kernel.sched_autogroup_enabled is 1. Set it to 0 with sysctl -w and measure again.")
        }
        stage.say("writing \(Self.months) months of \(Self.eventsPerMonth) events")
        try await load()
        let keys = try await keys()
        let closing = CloseStatements(
            database: PlatformDatabase(stage.server, for: .command), grace: 0, simulatesClock: true, logger: Database.logger)
        try await stage.analyze()

        stage.say("warming up")
        _ = try await logins(first: 0)
        var rounds: [Round] = []
        var (samplesAlone, samplesDuring): ([Double], [Double]) = ([], [])
        var (bytes, months) = (0, 0)
        for round in 0..<Self.rounds {
            stage.say("round \(round + 1) of \(Self.rounds): \(rate) logins per second for \(seconds) s")
            let alone = try await logins(first: (2 * round + 1) * rate * seconds)
            stage.say("the same during eight exports and the closing of months")
            let work = Work()
            let during = try await duringBulkWork(round, keys, closing, work)
            rounds.append(Round(alone: Latency(alone), during: Latency(during)))
            samplesAlone += alone
            samplesDuring += during
            let done = (bytes: work.bytes.load(ordering: .relaxed), months: work.months.load(ordering: .relaxed))
            guard done.bytes > 1_000_000, done.months > 0 else {
                throw Stage.Failure("\(done.bytes) exported bytes and \(done.months) closed months in a round; it needs 1 MB and 1 month")
            }
            bytes += done.bytes
            months += done.months
        }
        let (alone, during) = (Latency(samplesAlone), Latency(samplesDuring))
        return Result(
            logins_per_second: rate, rounds: rounds, alone: alone, during: during, p99_ratio: during.p99 / alone.p99, exported_bytes: bytes,
            closed_months: months)
    }

    private func duringBulkWork(_ round: Int, _ keys: [String], _ closing: CloseStatements, _ work: Work) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            let end = ContinuousClock.now + Self.start + .seconds(seconds)
            for key in keys + keys {
                group.addTask {
                    try await export(key, until: end, work)
                    return []
                }
            }
            // The start of the readers' programs would delay logins too.
            try await Task.sleep(for: Self.start)
            group.addTask {
                try await close(round, closing, work)
                return []
            }
            group.addTask {
                defer { work.isOver.store(true, ordering: .relaxed) }
                return try await logins(first: (2 * round + 2) * rate * seconds)
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func logins(first: Int) async throws -> [Double] {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for number in 0..<rate * seconds {
                let due = start + .nanoseconds(Int64(number) * 1_000_000_000 / Int64(rate))
                try await Task.sleep(until: due, clock: .continuous)
                group.addTask {
                    try await login(first + number)
                    return due.duration(to: .now) / .milliseconds(1)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: Bulk work

    /// Events of the first tenants in past months, added up.
    private func load() async throws {
        let months = SQL(
            unsafe: """
                generate_series(date_trunc('month', now()) - interval '\(Self.months) months',
                    date_trunc('month', now()) - interval '1 month', interval '1 month') AS month
                """)
        _ = try await stage.owner.run("SELECT create_usage_partition(month::date) FROM \(part: months)")
        let columns: SQL = "occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection"
        _ = try await stage.owner.run(
            """
            WITH event AS (
                INSERT INTO usage_event (\(part: columns))
                SELECT month + number * interval '28 days' / \(Self.eventsPerMonth), month::date, a.tenant_id, gen_random_uuid(), a.id,
                    gen_random_uuid(), 'login', 'shared'
                FROM \(part: months), generate_series(0, \(Self.eventsPerMonth - 1)) AS number
                JOIN (
                    SELECT a.tenant_id, a.id, substr(t.slug, 8)::int AS place FROM application a JOIN tenant t ON t.id = a.tenant_id
                ) AS a ON a.place = 1 + number % \(Self.tenants)
                RETURNING \(part: columns))
            INSERT INTO usage_arrival (\(part: columns)) SELECT \(part: columns) FROM event
            """)
        stage.say("waiting until they are added up")
        while try await !stage.owner.run("SELECT FROM usage_arrival LIMIT 1").isEmpty { try await Task.sleep(for: .milliseconds(200)) }
    }

    /// An operator's API key, and one of each of the first tenants.
    private func keys() async throws -> [String] {
        var keys = [stage.seeded.apiKey]
        for tenant in stage.seeded.tenants.prefix(Self.tenants) {
            var request = HTTPClientRequest(url: "\(stage.serviceURL)/v1/tenants/\(tenant.slug)/api-keys")
            request.method = .POST
            request.headers.add(name: "Authorization", value: "Bearer \(stage.seeded.apiKey)")
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: #"{"name":"Export","scopes":["usage:read"]}"#))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            let body = String(buffer: try await response.body.collect(upTo: 1 << 16))
            guard response.status == .created else { throw Stage.Failure("no API key for \(tenant.slug): \(body)") }
            keys.append(try LoadClient.Answer(headers: response.headers, body: body).field("secret"))
        }
        return keys
    }

    /// Reads exports until the end of the round, in a process of its own with a low priority, because readers usually run on other machines.
    private func export(_ key: String, until end: ContinuousClock.Instant, _ work: Work) async throws {
        let day = Date.ISO8601FormatStyle().year().month().day()
        let from = Date.now.addingTimeInterval(-86_400 * 31 * Double(Self.months + 1)).formatted(day)
        let to = Date.now.addingTimeInterval(-86_400).formatted(day)
        while case let rest = end - .now, rest > .milliseconds(100) {
            let (status, bytes) = try await stage.download(
                "\(stage.serviceURL)/v1/usage/export?format=csv&from=\(from)T00:00:00Z&to=\(to)T00:00:00Z", key: key, within: rest)
            switch status {
            case 200: work.bytes.add(bytes, ordering: .relaxed)
            // The server may not know yet that the last export of this key has ended.
            case 429: try await Task.sleep(for: .milliseconds(100))
            // The time was over before the first byte.
            case 0: return
            default: throw Stage.Failure("an export failed with status \(status)")
            }
        }
    }

    /// Closes the months of a round, as a second server does. A start of the program would delay logins too, and servers close months
    /// without a start.
    private func close(_ round: Int, _ closing: CloseStatements, _ work: Work) async throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let this = calendar.dateInterval(of: .month, for: .now)!.start
        let last = Self.months - round * Self.monthsPerRound
        for number in (last - Self.monthsPerRound..<last).reversed() where !work.isOver.load(ordering: .relaxed) {
            let end = calendar.date(byAdding: .month, value: -number, to: this)!
            work.months.add(try await closing.pass(at: end.addingTimeInterval(1)), ordering: .relaxed)
        }
    }
}

extension BulkBench.Result {
    /// The result for a person.
    var table: String {
        func line(_ name: String, _ latency: BulkBench.Latency) -> String {
            name.padding(toLength: 20, withPad: " ", startingAt: 0)
                + String(format: "%6d%10.2f%10.2f%10.2f", latency.count, latency.p50, latency.p99, latency.slowest)
        }
        let lines =
            zip(1..., rounds).flatMap { number, round in
                [line("\(number) alone", round.alone), line("\(number) during bulk work", round.during)]
            } + [line("all alone", alone), line("all during bulk work", during)]
        let ratio = String(
            format: "p99 ratio %.2f (goal %.2f), with %d MB of exports and %d closed months", p99_ratio, BulkBench.goal,
            exported_bytes / 1_000_000, closed_months)
        return (["", "\(logins_per_second) logins per second  count    p50 ms    p99 ms   slowest"] + lines + [ratio])
            .joined(separator: "\n")
    }
}
