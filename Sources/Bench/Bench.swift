import ArgumentParser
import Foundation

/// Measures a release build on this machine. The service, PostgreSQL, the simulator and the load are separate processes.
///
/// Rates and latencies depend on the machine and its other load. CPU time per operation is more stable, so the goals use it. The CPU time
/// of the simulator and of the load does not count. The goal of `--bulk` is a ratio of latencies of the same minutes.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures logins, refreshes, introspections and API reads of a release build.",
        discussion: """
            Starts everything on loopback and stops it at the end. No data remains. With --logins 100000, it also prints the service's \
            memory after every 10,000 logins. With --against, it measures two programs in turn and prints the ratios.
            """)

    @Option(help: "The number of users, who each sign in for the first time.")
    var users = 2_000

    @Option(help: "The number of complete logins of these users.")
    var logins = 5_000

    @Option(help: "The number of refreshes, spread over the sessions of the logins.")
    var refreshes = 10_000

    @Option(help: "The number of introspections of an access token, at most one per refresh.")
    var introspections = 10_000

    @Option(help: "The number of reads of a tenant with an API key.")
    var reads = 20_000

    @Option(help: "The number of events in a month of the ledger to add up, read, close, export and verify. 0 for none.")
    var events = 0

    @Option(
        help: ArgumentHelp(
            """
            Measures logins at this rate in six rounds: 10 s alone, and 10 s during eight exports and the closing of months. Needs three \
            tenants. Ends with 1 if the 99th percentile of all logins during bulk work is above 1.5 times that of all logins alone. 0 for \
            no.
            """,
            valueName: "logins per second"))
    var bulk = 0

    @Option(help: "The number of concurrent operations.")
    var concurrency = 32

    @Option(help: "The number of tenants in the database. 1,000 of them do 95 % of all operations.")
    var tenants = 10

    @Option(help: ArgumentHelp("The time in which Apple's token endpoint responds.", valueName: "milliseconds"))
    var appleLatency: Int?

    @Option(help: ArgumentHelp("The folder of another revision with a release build, to compare with.", valueName: "folder"))
    var against: String?

    @Option(help: "The number of rounds of a comparison. Each measures both programs.")
    var rounds = 5

    @Option(help: "The time limit in seconds.")
    var timeLimit = 1_800

    @Flag(help: "Prints JSON instead of tables.")
    var json = false

    @Option(help: ArgumentHelp("The server's program.", valueName: "path"))
    var espalier = ".build/release/espalier"

    @Option(help: ArgumentHelp("The folder of the migrations.", valueName: "folder"))
    var migrations = "migrations"

    @Option(help: ArgumentHelp("The program that runs the Apple simulator.", valueName: "path"))
    var espalierDev = ".build/release/espalier-dev"

    @Option(help: ArgumentHelp("The folder of the processes' data during the run.", valueName: "folder"))
    var directory = ".espalier/bench"

    func validate() throws {
        guard (1...1_000_000).contains(logins), (1...1_000_000).contains(users)
        else { throw ValidationError("--logins and --users must be 1 to 1,000,000.") }
        guard (0...10_000_000).contains(refreshes), (0...10_000_000).contains(reads)
        else { throw ValidationError("--refreshes and --reads must be 0 to 10,000,000.") }
        guard (0...refreshes).contains(introspections)
        else { throw ValidationError("--introspections must not be negative, and not more than --refreshes.") }
        // One worker at a time refreshes a session, as an application does.
        guard (1...1_000).contains(concurrency), concurrency <= logins
        else { throw ValidationError("--concurrency must be 1 to 1,000, and not more than --logins.") }
        guard (0...100_000_000).contains(events) else { throw ValidationError("--events must be 0 to 100,000,000.") }
        guard (1...1_000_000).contains(tenants) else { throw ValidationError("--tenants must be 1 to 1,000,000.") }
        guard (1...60_000).contains(appleLatency ?? 1) else { throw ValidationError("--apple-latency must be 1 to 60,000 milliseconds.") }
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds must be 1 to 100.") }
        guard against == nil || events == 0 && bulk == 0 else { throw ValidationError("--against does not measure --events and --bulk.") }
        guard bulk == 0 || (1...10_000).contains(bulk) && tenants >= 3
        else { throw ValidationError("--bulk must be 0 to 10,000, and needs 3 --tenants.") }
        guard (1...86_400).contains(timeLimit) else { throw ValidationError("--time-limit must be 1 to 86,400 seconds.") }
    }

    func run() async throws {
        let meetsGoal: Bool
        do {
            let output: String
            (output, meetsGoal) = try await within(.seconds(timeLimit)) { [self] in
                if let against {
                    let comparison = try await compare(with: against)
                    return (json ? try comparison.json : comparison.table, true)
                }
                let report = try await report(on: program)
                return (json ? try report.json : report.table, report.bulk?.meetsGoal ?? true)
            }
            print(output)
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            throw ExitCode.failure
        }
        if !meetsGoal { throw ExitCode.failure }
    }

    private var program: Stage.Program { .init(path: espalier, migrations: migrations) }

    private func report(on program: Stage.Program) async throws -> Report {
        try await Stage.with(program: program, simulator: espalierDev, folder: directory, tenants: tenants, latency: appleLatency) {
            try await measure($0)
        }
    }

    /// Measures both programs in turn. Other load of the machine changes over minutes, so it meets both.
    private func compare(with folder: String) async throws -> Comparison {
        let other = Stage.Program(path: "\(folder)/.build/release/espalier", migrations: "\(folder)/migrations")
        var comparison = Comparison()
        for round in 1...rounds {
            Stage.say("round \(round) of \(rounds)")
            // Each program is first in half of the rounds.
            if round.isMultiple(of: 2) {
                let after = try await report(on: program)
                comparison.rounds.append(.init(before: try await report(on: other), after: after))
            } else {
                let before = try await report(on: other)
                comparison.rounds.append(.init(before: before, after: try await report(on: program)))
            }
        }
        return comparison
    }

    /// Warms up, then measures one kind of operation after the other.
    private func measure(_ stage: Stage) async throws -> Report {
        let meter = Meter(stage, concurrency: concurrency)
        let load = Load(stage, users: users, sessions: min(logins, 5_000), concurrency: concurrency)

        // Each tenant's first login creates its signing key, and each connection prepares its statements. This happens once,
        // so it is not measured. After the update of the table sizes, each connection plans its statements again.
        stage.say("warming up")
        let half = max(min(tenants, Load.busyTenants), 40 * concurrency)
        _ = try await meter.run("warm-up", half, load.warmUp)
        try await stage.analyze()
        // Otherwise, the aggregation of these logins would count for the first logins.
        _ = try await meter.run("warm-up", half, background: .seconds(3)) { number, timings in
            try await load.warmUp(half + number, &timings)
        }

        var report = Report(tenants: tenants, users: users, concurrency: concurrency, memory: [.init(logins: 0, try stage.service.memory)])
        stage.say("measuring \(users) first logins")
        report.measurements.append(try await meter.run("first login", users, background: .seconds(3), load.firstLogin))
        try await stage.analyze()
        stage.say("measuring \(logins) logins")
        var login = Measurement(name: "login")
        let round = 10_000
        for first in stride(from: 0, to: logins, by: round) {
            let count = min(round, logins - first)
            login += try await meter.run("login", count, background: .seconds(3)) { number, timings in
                try await load.login(first + number, &timings)
            }
            report.memory.append(.init(logins: first + count, try stage.service.memory))
        }
        report.measurements.append(login)
        stage.say("measuring \(refreshes) refreshes")
        report.measurements.append(try await meter.run("refresh", refreshes, load.refresh))
        stage.say("measuring \(introspections) introspections")
        report.measurements.append(try await meter.run("introspection", introspections, load.introspect))
        stage.say("measuring \(reads) reads")
        report.measurements.append(try await meter.run("read", reads, load.read))
        report.atEnd = try stage.service.memory

        let billed = try await stage.billedLogins()
        let expected = 2 * half + users + logins
        guard billed == expected else { throw Stage.Failure("\(expected) logins got tokens, but \(billed) are in the ledger") }
        if events > 0 { report.ledger = try await LedgerBench(stage, events: events, at: Date()).run() }
        if bulk > 0 {
            report.bulk = try await BulkBench(stage: stage, rate: bulk) { number in
                var timings = Timings()
                try await load.login(logins + number, &timings)
            }.run()
        }
        return report
    }
}

/// Runs `body` against the clock.
private func within<T: Sendable>(_ limit: Duration, _ body: @escaping @Sendable () async throws -> T) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        defer { group.cancelAll() }
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: limit)
            throw Stage.Failure("not done after \(limit); stopped")
        }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
