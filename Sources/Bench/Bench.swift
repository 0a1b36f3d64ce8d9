import ArgumentParser
import Foundation

/// Measures a release build on this machine. The service, PostgreSQL, the simulator and the load are separate processes.
///
/// Rates and latencies depend on the machine and its other load. CPU time per operation is more stable, so the targets use it.
/// The CPU time of the simulator and of the load does not count.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures complete logins, refreshes and API reads of a release build.",
        discussion: """
            Starts everything on loopback and stops it at the end. No data remains. With --logins 100000, it also prints the service's \
            memory after every 10,000 logins.
            """)

    @Option(help: "The number of complete logins.")
    var logins = 5_000

    @Option(help: "The number of refreshes, spread over the sessions of the logins.")
    var refreshes = 10_000

    @Option(help: "The number of reads of a tenant with an API key.")
    var reads = 20_000

    @Option(help: "The number of events in a month of the ledger to add up, read, close, export and verify. 0 for none.")
    var events = 0

    @Option(help: "The number of concurrent operations.")
    var concurrency = 32

    @Option(help: "The number of tenants in the database. 1,000 of them do 95 % of all operations.")
    var tenants = 10

    @Option(help: "The time limit in seconds.")
    var timeLimit = 1_800

    @Flag(help: "Prints JSON instead of tables.")
    var json = false

    @Option(help: ArgumentHelp("The server's program.", valueName: "path"))
    var espalier = ".build/release/espalier"

    @Option(help: ArgumentHelp("The program that runs the Apple simulator.", valueName: "path"))
    var espalierDev = ".build/release/espalier-dev"

    @Option(help: ArgumentHelp("The folder of the processes' data during the run.", valueName: "folder"))
    var directory = ".espalier/bench"

    func validate() throws {
        guard (1...1_000_000).contains(logins), (0...10_000_000).contains(refreshes), (0...10_000_000).contains(reads)
        else { throw ValidationError("--logins must be 1 to 1,000,000, --refreshes and --reads 0 to 10,000,000.") }
        // One worker at a time refreshes a session, as an application does.
        guard (1...1_000).contains(concurrency), concurrency <= logins
        else { throw ValidationError("--concurrency must be 1 to 1,000, and not more than --logins.") }
        guard (0...100_000_000).contains(events) else { throw ValidationError("--events must be 0 to 100,000,000.") }
        guard (1...1_000_000).contains(tenants) else { throw ValidationError("--tenants must be 1 to 1,000,000.") }
        guard (1...86_400).contains(timeLimit) else { throw ValidationError("--time-limit must be 1 to 86,400 seconds.") }
    }

    func run() async throws {
        do {
            let report = try await within(.seconds(timeLimit)) { [self] in
                try await Stage.with(program: espalier, simulator: espalierDev, folder: directory, tenants: tenants) {
                    try await measure($0)
                }
            }
            print(json ? try report.json : report.table)
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    /// Warms up, then measures one kind of operation after the other.
    private func measure(_ stage: Stage) async throws -> Report {
        let meter = Meter(stage, concurrency: concurrency)
        let load = Load(stage, sessions: min(logins, 5_000), concurrency: concurrency)

        // Each tenant's first login creates its signing key, and each connection prepares its statements. This happens once,
        // so it is not measured.
        stage.say("warming up")
        let warmUp = min(tenants, Load.busyTenants) + 40 * concurrency
        _ = try await meter.run("warm-up", warmUp) { number, timings in
            try await load.signIn(number, on: number < tenants ? number % Load.busyTenants : nil, &timings)
        }
        load.forgetSessions()
        try await stage.analyze()

        var report = Report(tenants: tenants, concurrency: concurrency, memory: [.init(logins: 0, try stage.service.memory)])
        stage.say("measuring \(logins) logins")
        var login = Measurement(name: "login")
        let round = 10_000
        for first in stride(from: 0, to: logins, by: round) {
            let count = min(round, logins - first)
            login += try await meter.run("login", count) { number, timings in
                try await load.signIn(warmUp + first + number, on: nil, &timings)
            }
            report.memory.append(.init(logins: first + count, try stage.service.memory))
        }
        report.measurements.append(login)
        stage.say("measuring \(refreshes) refreshes")
        report.measurements.append(try await meter.run("refresh", refreshes, load.refresh))
        stage.say("measuring \(reads) reads")
        report.measurements.append(try await meter.run("read", reads, load.read))
        report.atEnd = try stage.service.memory

        let billed = try await stage.billedLogins()
        guard billed == warmUp + logins else {
            throw Stage.Failure("\(warmUp + logins) logins got tokens, but \(billed) are in the ledger")
        }
        if events > 0 { report.ledger = try await LedgerBench(stage, events: events, at: Date()).run() }
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
