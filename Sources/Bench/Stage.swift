import EmbeddedPostgres
import Foundation
import Postgres

/// The running environment of a measurement: a private PostgreSQL with production's durability, the Apple simulator, and
/// the service. Each is a separate process.
struct Stage: Sendable {
    private(set) var service: ProcessID
    /// The postmaster. Its backends are its children.
    let postgres: ProcessID
    private(set) var serviceURL: String
    let simulatorURL: String
    let seeded: Seeded
    let owner: DatabasePool
    /// With the service's role.
    let server: DatabasePool
    let ownerURL: String
    private let program: Program
    private var settings: [String: String]
    /// The arguments of `Floor` without its port.
    private let floor: [String]
    private let children: ChildProcesses

    /// The server's program.
    struct Program: Sendable {
        let path: String
        /// The folder of its migrations.
        let migrations: String
        /// Whether `Floor` serves the requests. The program then only prepares the database.
        var isFloor = false
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The URL that browsers use for the service. The load connects by address, so the URL needs no port.
    static let publicURL = "http://localhost"

    /// Provides the environment while `body` runs, and removes it afterwards in every case.
    /// - Parameters:
    ///   - simulator: The path of `espalier-dev`.
    ///   - latency: The milliseconds in which Apple's token endpoint responds; nil for at once.
    static func with<T: Sendable>(
        program: Program, simulator: String, folder: String, tenants: Int, latency: Int?, _ body: @Sendable (Stage) async throws -> T
    ) async throws -> T {
        let folder = URL(filePath: folder).standardizedFileURL.path
        // Durability is PostgreSQL's default. But the data is removed at the end.
        let cluster = EmbeddedPostgres(folder: "\(folder)/postgres", isThrowAway: true)
        let children = ChildProcesses(logs: folder)
        do {
            say("starting PostgreSQL, the simulator and the service in \(folder)")
            let result = try await body(Stage(program, simulator, folder, cluster, children, tenants: tenants, latency: latency))
            try await children.stop()
            try await cluster.stop()
            // The logs of a failed run are not removed, because they help to find the cause.
            await children.removeLogs()
            return result
        } catch {
            try await children.stop()
            try await cluster.stop()
            throw error
        }
    }

    private init(
        _ program: Program, _ simulator: String, _ folder: String, _ cluster: EmbeddedPostgres, _ children: ChildProcesses, tenants: Int,
        latency: Int?
    ) async throws {
        try await cluster.start()
        guard
            let postmaster = try String(contentsOfFile: "\(folder)/postgres/data/postmaster.pid", encoding: .utf8)
                .split(separator: "\n").first.flatMap({ Int32($0) })
        else { throw Failure("PostgreSQL's process ID is not readable") }
        postgres = ProcessID(postmaster)
        try await Database.create(in: cluster)
        ownerURL = await cluster.url(user: "postgres", database: Database.name)
        owner = try Database.pool(ownerURL)
        (self.program, self.children) = (program, children)

        let ports = try await FreePorts.find(3)
        (serviceURL, simulatorURL) = ("http://127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[2])")
        try await children.start("simulator", [simulator, "simulate-apple", "--port", "\(ports[2])"])
        try await children.waitUntilReady("\(simulatorURL)/auth/keys")

        let espalier = program.path
        let masterKey = try await children.output("generate-master-key", [espalier, "generate-master-key"])
        let databaseURL = await cluster.url(user: Database.server, database: Database.name)
        server = try Database.serverPool(databaseURL)
        settings = [
            "ESPALIER_PUBLIC_URL": Self.publicURL, "ESPALIER_PORT": "\(ports[0])", "ESPALIER_OPERATIONS_PORT": "\(ports[1])",
            "ESPALIER_DATABASE_URL": databaseURL,
            "ESPALIER_MIGRATION_DATABASE_URL": await cluster.url(user: "postgres", database: Database.name),
            "ESPALIER_MASTER_KEYS": masterKey.trimmingCharacters(in: .whitespacesAndNewlines),
            "ESPALIER_APPLE_BASE_URL": simulatorURL,
            // No limit, because the service's speed is measured, not its rate limits.
            "ESPALIER_API_REQUESTS_PER_MINUTE": "1000000000",
            // Months must not close automatically during other measurements.
            "ESPALIER_USAGE_GRACE": "2592000",
        ]
        _ = try await children.output("migrate", [espalier, "migrate", "--migrations", program.migrations], settings)
        let portal = ApplePortal(url: simulatorURL)
        let connection = try await portal.registerSharedConnection(returningTo: "\(Self.publicURL)/auth/apple/callback")
        if let latency { try await portal.slow("token", milliseconds: latency) }
        Self.say("seeding \(tenants) tenant\(tenants == 1 ? "" : "s")")
        seeded = try await Seeded(connection, tenants: tenants) { [settings] plan in
            try await children.output("seed", [espalier, "seed", "-"], settings, input: plan)
        }
        // Otherwise, autovacuum would do it during the measurement.
        _ = try await owner.run("VACUUM ANALYZE")

        floor = [
            "--database-url", databaseURL, "--apple-url", simulatorURL, "--services-id", connection.services_id, "--client-secret",
            try await connection.clientSecret(at: Date()),
        ]
        service = try await Self.serve("service", program, settings, floor, children)
        Self.say("the service is process \(service), PostgreSQL \(postgres)")
    }

    /// Starts the server, and returns when it is ready.
    private static func serve(
        _ name: String, _ program: Program, _ settings: [String: String], _ floor: [String], _ children: ChildProcesses
    ) async throws -> ProcessID {
        let (port, operationsPort) = (settings["ESPALIER_PORT"] ?? "", settings["ESPALIER_OPERATIONS_PORT"] ?? "")
        guard program.isFloor else {
            let service = try await children.start(name, [program.path, "serve", "--migrations", program.migrations], settings)
            try await children.waitUntilReady("http://127.0.0.1:\(operationsPort)/readyz")
            return service
        }
        let service = try await children.start(name, [CommandLine.arguments[0], "floor", "--port", port] + floor)
        try await children.waitUntilReady("http://127.0.0.1:\(port)/readyz")
        return service
    }

    /// The same with another server of the same database. It has signed no token.
    func withAnotherServer() async throws -> Stage {
        let ports = try await FreePorts.find(2)
        var other = self
        other.settings.merge(["ESPALIER_PORT": "\(ports[0])", "ESPALIER_OPERATIONS_PORT": "\(ports[1])"]) { $1 }
        other.serviceURL = "http://127.0.0.1:\(ports[0])"
        other.service = try await Self.serve("another service", program, other.settings, floor, children)
        return other
    }

    /// Updates the planner's table sizes, as autovacuum does within a minute. Plans made for empty tables read whole tables,
    /// and stay in use until an update.
    func analyze() async throws {
        _ = try await owner.run("VACUUM ANALYZE")
    }

    /// The number of billed logins; nil for `Floor`, which bills nothing. Older versions write an arrival and its event at once.
    func billedLogins() async throws -> Int? {
        if program.isFloor { return nil }
        let logins: SQL = "SELECT count(*) AS logins FROM (SELECT id FROM usage_event UNION SELECT id FROM usage_arrival) AS event"
        return try await owner.run(logins).first { try $0.get("logins") } ?? 0
    }

    /// Runs the service's program with its settings to the end.
    /// - Parameter other: Settings that add to or replace the service's settings.
    func program(_ arguments: String..., with other: [String: String] = [:]) async throws -> String {
        try await children.output(arguments.joined(separator: " "), [program.path] + arguments, settings.merging(other) { $1 })
    }

    /// Reads a response with curl, in a process of its own with the lowest priority, to its end or until the time is over.
    func download(_ url: String, key: String, within limit: Duration) async throws -> (status: Int, bytes: Int) {
        let output = try await children.output(
            "curl",
            [
                // 28: the time was over.
                "/bin/sh", "-c", "nice -n 19 curl \"$@\" || test $? = 28", "curl", "--silent", "--show-error", "--output", "/dev/null",
                "--write-out", "%{http_code} %{size_download}", "--max-time", "\(limit / .seconds(1))", "--config", "-", url,
            ],
            input: "header = \"Authorization: Bearer \(key)\"\n")
        let numbers = output.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { throw Failure("curl printed \(output)") }
        return (numbers[0], numbers[1])
    }

    func say(_ text: String) { Self.say(text) }

    /// Progress messages go to standard error.
    static func say(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}
