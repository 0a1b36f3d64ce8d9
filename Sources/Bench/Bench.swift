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
            memory after every 10,000 logins. With --against, it measures two programs at the same time, in turns of about a second, and \
            prints the ratios.
            """,
        subcommands: [Floor.self])

    @Option(help: "The number of users, who each sign in for the first time.")
    var users = 2_000

    @Option(help: "The number of complete logins of these users.")
    var logins = 5_000

    @Option(help: "The number of refreshes, spread over the sessions of the logins.")
    var refreshes = 10_000

    @Option(
        help: """
            The number of introspections of an access token, at most one per refresh. Half of them are by the server that signed the \
            tokens, half by another one.
            """)
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

    @Option(
        help: ArgumentHelp(
            "The number of tenants before, compared with --tenants. Without --against, both programs are this one.",
            valueName: "tenants"))
    var againstTenants: Int?

    @Flag(help: "Also measures a minimal server, and prints the ratios that the revision would have with it.")
    var floor = false

    @Option(help: "The number of rounds of a comparison. Each starts both programs and measures them in alternating slices.")
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
        guard (1...1_000_000).contains(tenants), (1...1_000_000).contains(againstTenants ?? 1)
        else { throw ValidationError("--tenants and --against-tenants must be 1 to 1,000,000.") }
        guard (1...60_000).contains(appleLatency ?? 1) else { throw ValidationError("--apple-latency must be 1 to 60,000 milliseconds.") }
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds must be 1 to 100.") }
        guard other == nil || events == 0 && bulk == 0 else { throw ValidationError("A comparison does not measure --events and --bulk.") }
        guard against != nil || !floor else { throw ValidationError("--floor needs --against.") }
        guard bulk == 0 || (1...10_000).contains(bulk) && tenants >= 3
        else { throw ValidationError("--bulk must be 0 to 10,000, and needs 3 --tenants.") }
        guard (1...86_400).contains(timeLimit) else { throw ValidationError("--time-limit must be 1 to 86,400 seconds.") }
    }

    func run() async throws {
        let meetsGoal: Bool
        do {
            let output: String
            (output, meetsGoal) = try await within(.seconds(timeLimit)) { [self] in
                if let other {
                    let comparison = try await compare(with: other)
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

    /// The other program of a comparison; nil if there is none.
    private var other: Stage.Program? {
        guard let against else { return againstTenants == nil ? nil : program }
        return .init(path: "\(against)/.build/release/espalier", migrations: "\(against)/migrations")
    }

    private func report(on program: Stage.Program) async throws -> Report {
        try await stage(program, directory) { try await measure([$0])[0] }
    }

    private func stage<T: Sendable>(
        _ program: Stage.Program, _ folder: String, tenants: Int? = nil, _ body: @Sendable (Stage) async throws -> T
    ) async throws -> T {
        try await Stage.with(
            program: program, simulator: espalierDev, folder: folder, tenants: tenants ?? self.tenants, latency: appleLatency, body)
    }

    private func compare(with other: Stage.Program) async throws -> Comparison {
        var comparison = Comparison()
        for round in 1...rounds {
            Stage.say("round \(round) of \(rounds)")
            comparison.rounds.append(
                try await stage(other, "\(directory)/before", tenants: againstTenants) { before in
                    try await stage(program, "\(directory)/after") { after in
                        guard floor else {
                            let reports = try await measure([before, after])
                            return .init(before: reports[0], after: reports[1])
                        }
                        var minimal = program
                        minimal.isFloor = true
                        return try await stage(minimal, "\(directory)/floor") { minimal in
                            let reports = try await measure([before, after, minimal])
                            return .init(before: reports[0], after: reports[1], minimal: reports[2])
                        }
                    }
                })
        }
        return comparison
    }

    /// Warms up, then measures one kind of operation after the other. Several services take turns.
    private func measure(_ stages: [Stage]) async throws -> [Report] {
        let meters = stages.map { Meter($0, concurrency: concurrency) }
        let loads = stages.map { Load($0, users: users, sessions: min(logins, 5_000), concurrency: concurrency) }
        let slices = stages.count == 1 ? Slices.none : .ofASecond

        func run(
            _ name: String, _ count: Int, slice: Int, background: Duration = .zero,
            _ operation: (Load) -> Meter.Operation
        ) async throws -> [Measurement] {
            try await Meter.alternate(name, count, slice: slice, background: background, zip(meters, loads.map(operation)).map { ($0, $1) })
        }

        // Each tenant's first login creates its signing key, and each connection prepares its statements. This happens once,
        // so it is not measured. After the update of the table sizes, each connection plans its statements again.
        Stage.say("warming up")
        let half = max(min(stages.map(\.seeded.tenants.count).max() ?? 0, Load.busyTenants), 40 * concurrency)
        _ = try await run("warm-up", half, slice: half) { $0.warmUp }
        for stage in stages { try await stage.analyze() }
        // Otherwise, the aggregation of these logins would count for the first logins.
        _ = try await run("warm-up", half, slice: half, background: .seconds(3)) { load in
            { number, timings in try await load.warmUp(half + number, &timings) }
        }

        var reports = try stages.map { stage in
            Report(
                tenants: stage.seeded.tenants.count, users: users, concurrency: concurrency,
                memory: [.init(logins: 0, try stage.service.memory)])
        }
        func add(_ measurements: [Measurement]) {
            for (index, measurement) in measurements.enumerated() { reports[index].measurements.append(measurement) }
        }
        Stage.say("measuring \(users) first logins")
        add(try await run("first login", users, slice: slices.logins, background: .seconds(3)) { $0.firstLogin })
        for stage in stages { try await stage.analyze() }
        Stage.say("measuring \(logins) logins")
        var sums = stages.map { _ in Measurement(name: "login") }
        let round = 10_000
        for first in stride(from: 0, to: logins, by: round) {
            let count = min(round, logins - first)
            let measurements = try await run("login", count, slice: slices.logins, background: .seconds(3)) { load in
                { number, timings in try await load.login(first + number, &timings) }
            }
            for (index, measurement) in measurements.enumerated() {
                sums[index] += measurement
                reports[index].memory.append(.init(logins: first + count, try stages[index].service.memory))
            }
        }
        add(sums)
        Stage.say("measuring \(refreshes) refreshes")
        add(try await run("refresh", refreshes, slice: slices.refreshes) { $0.refresh })
        for measurements in try await introspect(stages, loads, slice: slices.introspections) { add(measurements) }
        Stage.say("measuring \(reads) reads")
        add(try await run("read", reads, slice: slices.reads) { $0.read })

        for (index, stage) in stages.enumerated() {
            reports[index].atEnd = try stage.service.memory
            guard let billed = try await stage.billedLogins() else { continue }
            let expected = 2 * half + users + logins
            guard billed == expected else { throw Stage.Failure("\(expected) logins got tokens, but \(billed) are in the ledger") }
        }
        if events > 0 { reports[0].ledger = try await LedgerBench(stages[0], events: events, at: Date()).run() }
        if bulk > 0 {
            reports[0].bulk = try await BulkBench(stage: stages[0], rate: bulk) { [logins] number in
                var timings = Timings()
                try await loads[0].login(logins + number, &timings)
            }.run()
        }
        return reports
    }
}

extension Bench {
    /// Half of the access tokens are inspected by the server that signed them, and half by another one. The first remembers the tokens.
    private func introspect(_ stages: [Stage], _ loads: [Load], slice: Int) async throws -> [[Measurement]] {
        Stage.say("measuring \(introspections) introspections")
        guard introspections >= 4 else { return [] }
        var others: [Stage] = []
        for stage in stages { others.append(try await stage.withAnotherServer()) }
        var results: [[Measurement]] = []
        for (name, servers) in [("own token", stages), ("introspection", others)] {
            let services = zip(servers, loads).map { server, load -> (Meter, Meter.Operation) in
                (
                    Meter(server, concurrency: concurrency),
                    { _, timings in try await load.introspect(name, at: server.serviceURL, &timings) }
                )
            }
            // A new server has neither keys nor prepared statements.
            let (warmUp, count) = (introspections / 8, introspections / 2 - introspections / 8)
            _ = try await Meter.alternate(name, warmUp, slice: warmUp, services)
            results.append(try await Meter.alternate(name, count, slice: slice, services))
        }
        return results
    }
}

/// How many operations one service does before the next one has its turn.
private struct Slices {
    let logins, refreshes, introspections, reads: Int

    /// For a service that is measured alone.
    static let none = Slices(logins: .max, refreshes: .max, introspections: .max, reads: .max)
    /// About a second on 2 processors.
    static let ofASecond = Slices(logins: 250, refreshes: 2_000, introspections: 2_500, reads: 4_000)
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
