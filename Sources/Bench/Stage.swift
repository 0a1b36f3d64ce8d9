import EmbeddedPostgres
import Foundation
import Postgres

/// All that a measurement needs, running: a private PostgreSQL with production's durability, the Apple simulator, and the
/// service, each a process of its own.
struct Stage: Sendable {
    let service: ProcessID
    /// The postmaster; its backends are its children.
    let postgres: ProcessID
    let serviceURL: String
    let simulatorURL: String
    let seeded: Seeded
    let owner: DatabasePool
    let ownerURL: String
    private let espalier: String
    private let settings: [String: String]
    private let children: ChildProcesses

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// What browsers call the service. The load asks by address, so no port has to be in it.
    static let publicURL = "http://localhost"

    /// Sets the stage for as long as `body` runs, and takes it away however that ends.
    static func with<T: Sendable>(
        program: String, folder: String, tenants: Int, _ body: @Sendable (Stage) async throws -> T
    ) async throws -> T {
        let folder = URL(filePath: folder).standardizedFileURL.path
        // Durability is PostgreSQL's default; only the leftovers are nobody's.
        let cluster = EmbeddedPostgres(folder: "\(folder)/postgres", isThrowAway: true)
        let children = ChildProcesses(logs: folder)
        do {
            say("starting PostgreSQL, the simulator and the service in \(folder)")
            let result = try await body(Stage(program, folder, cluster, children, tenants: tenants))
            try await children.stop()
            try await cluster.stop()
            // A failure's are worth reading.
            await children.removeLogs()
            return result
        } catch {
            try await children.stop()
            try await cluster.stop()
            throw error
        }
    }

    private init(_ program: String, _ folder: String, _ cluster: EmbeddedPostgres, _ children: ChildProcesses, tenants: Int) async throws {
        try await cluster.start()
        guard
            let postmaster = try String(contentsOfFile: "\(folder)/postgres/data/postmaster.pid", encoding: .utf8)
                .split(separator: "\n").first.flatMap({ Int32($0) })
        else { throw Failure("PostgreSQL's process id cannot be read") }
        postgres = ProcessID(postmaster)
        try await Database.create(in: cluster)
        ownerURL = await cluster.url(user: "postgres", database: Database.name)
        owner = try Database.pool(ownerURL)
        (espalier, self.children) = (program, children)

        let ports = try await FreePorts.find(3)
        (serviceURL, simulatorURL) = ("http://127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[2])")
        try await children.start("simulator", [program, "simulate-apple", "--port", "\(ports[2])"])
        try await children.waitUntilReady("\(simulatorURL)/auth/keys")

        let masterKey = try await children.output("generate-master-key", [program, "generate-master-key"])
        settings = [
            "ESPALIER_PUBLIC_URL": Self.publicURL, "ESPALIER_PORT": "\(ports[0])", "ESPALIER_OPERATIONS_PORT": "\(ports[1])",
            "ESPALIER_DATABASE_URL": await cluster.url(user: Database.server, database: Database.name),
            "ESPALIER_MIGRATION_DATABASE_URL": await cluster.url(user: "postgres", database: Database.name),
            "ESPALIER_MASTER_KEYS": masterKey.trimmingCharacters(in: .whitespacesAndNewlines),
            "ESPALIER_APPLE_BASE_URL": simulatorURL,
            // What is measured is the service, not its patience.
            "ESPALIER_API_REQUESTS_PER_MINUTE": "1000000000",
            // Nothing closes by itself while something else is measured.
            "ESPALIER_USAGE_GRACE": "2592000",
        ]
        _ = try await children.output("migrate", [program, "migrate"], settings)
        let plan = try await ApplePortal(url: simulatorURL).registerSharedConnection(returningTo: "\(Self.publicURL)/auth/apple/callback")
        Self.say("seeding \(tenants) tenant\(tenants == 1 ? "" : "s")")
        let first = try await children.output("seed", [program, "seed", "-"], settings, input: Seeded.plan(with: plan))
        seeded = try await Seeded(
            first: first, tenants: tenants, masterKey: masterKey.trimmingCharacters(in: .whitespacesAndNewlines), in: owner)

        service = try await children.start("service", [program, "serve"], settings)
        try await children.waitUntilReady("http://127.0.0.1:\(ports[1])/readyz")
        Self.say("the service is process \(service), PostgreSQL \(postgres)")
    }

    /// Tells the planner how large the tables have become, as autovacuum does within a minute. Plans from when they were empty
    /// read them whole, and are kept as long as nothing tells otherwise.
    func analyze() async throws {
        _ = try await owner.run("VACUUM ANALYZE")
    }

    /// How many logins the ledger has.
    func billedLogins() async throws -> Int {
        try await owner.run("SELECT count(*) AS logins FROM usage_event").first { try $0.get("logins") } ?? 0
    }

    /// Runs the service's program with its settings, to the end.
    /// - Parameter other: settings beside the service's, or instead.
    func program(_ arguments: String..., with other: [String: String] = [:]) async throws -> String {
        try await children.output(arguments.joined(separator: " "), [espalier] + arguments, settings.merging(other) { $1 })
    }

    func say(_ text: String) { Self.say(text) }

    /// Progress is talk: it goes to standard error.
    static func say(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}
