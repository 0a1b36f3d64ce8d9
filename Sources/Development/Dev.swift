import Access
import Apple
import AppleSimulator
import ArgumentParser
import DemoApplication
import EmbeddedPostgres
import Foundation
import Logging
import Postgres
import Server
import ServiceLifecycle

struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run everything on this machine: database, Apple simulator, a demo with two tenants, and the server.",
        discussion: """
            Keeps its data in one folder, finds it again at the next start, and stops everything with Ctrl-C. What programs need to know \
            is in dev.json in that folder, and in dev.env what `espalier usage` and `espalier audit` need to work on it. Listens on \
            loopback only.
            """)

    @Option(help: "Where its data is kept.")
    var directory = ".espalier"

    @Option(help: "The server's port; operations, simulator and demo take the next three.")
    var port = 8080

    @Option(
        name: .customLong("apple-base-url"),
        help: ArgumentHelp(
            "Another stand-in for Apple instead of the simulator. apple.json in the folder has what to register there.", valueName: "url"))
    var appleBaseURL: String?

    @OptionGroup var migrations: MigrationsFolder

    mutating func validate() throws {
        appleBaseURL = appleBaseURL ?? Self.standIn(in: ProcessInfo.processInfo.environment, port: port)
        guard (1...65532).contains(port) else { throw ValidationError("--port must be between 1 and 65532: three more follow it.") }
    }

    /// The stand-in for Apple that the environment names. After `. .espalier/dev.env` the environment names the simulator of an earlier
    /// `espalier dev`, and nobody asks for a stand-in.
    private static func standIn(in environment: [String: String], port: Int) -> String? {
        guard let url = environment["ESPALIER_APPLE_BASE_URL"], !url.isEmpty else { return nil }
        let ports = [port, environment["ESPALIER_PORT"].flatMap { Int($0) }].compactMap(\.self)
        return ports.contains { DevPorts(first: $0).simulatorURL == url } ? nil : url
    }

    func run() async throws {
        let ports = DevPorts(first: port)
        let folder = URL(filePath: directory, directoryHint: .isDirectory)
        let postgres = try await orRefuse {
            try ports.requireFree()
            do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
                throw Settings.Refusal(description: "--directory: \(directory) cannot be made.")
            }
            return EmbeddedPostgres(folder: folder.appending(path: "postgres").path)
        }
        try await orRefuse { try await postgres.start() }
        do {
            try await serve(postgres, folder, ports)
        } catch {
            try await postgres.stop()
            throw error
        }
        try await postgres.stop()
    }

    private func serve(_ postgres: EmbeddedPostgres, _ folder: URL, _ ports: DevPorts) async throws {
        let (settings, migrator, demo) = try await orRefuse {
            let database = try await DevDatabase(postgres, migrator: try migrations.migrator)
            var settings = try await devSettings(database, folder, ports)
            settings.keyring = try await withPool(settings.databaseURL) { [settings] pool in
                try await InstalledKeys.open(settings.keyring, in: PlatformDatabase(pool), at: Date())
            }
            let demo = try await DemoTenants(folder: folder, settings: settings, ports: ports, ownerURL: database.ownerURL)
            return (settings, database.migrator, demo)
        }
        let logger = Logger(label: "espalier") { JSONLog(label: $0, level: settings.logLevel) }
        let report = DevReport(
            demo: demo, ports: ports, simulatorURL: settings.apple.baseURL, hasSimulator: appleBaseURL == nil, directory: folder)
        // Whoever reads the report may go to any of the addresses in it.
        let arrivals = Arrivals(expecting: appleBaseURL == nil ? 3 : 2) {
            do { try report.publish() } catch { logger.error("dev.json could not be written", metadata: ["cause": "\(error)"]) }
        }
        let installation = try Installation(settings, migrator: migrator, logger: logger) { _ in arrivals.arrive() }
        var services: [any Service] = []
        if appleBaseURL == nil {
            let simulator = AppleSimulator(
                .init(port: ports.simulator, registry: try Registry(json: try demo.registry(ports))), logger: logger)
            services.append(simulator)
            Task { if (try? await simulator.port) != nil { arrivals.arrive() } }
        }
        services.append(
            DemoApplication(
                port: ports.demo, publicURL: ports.demoURL, baseURL: ports.baseURL, tenants: demo.forDemoApplication(ports), logger: logger,
                onServerRunning: { _ in arrivals.arrive() }))
        services += installation.services
        try await orRefuse { try await ServiceGroup.run(services, logger: logger) }
    }

    private func devSettings(_ database: DevDatabase, _ folder: URL, _ ports: DevPorts) async throws -> Settings {
        let issuers = ["https://appleid.apple.com", "https://account.apple.com"] + (appleBaseURL.map { [$0] } ?? [])
        var environment = [
            "ESPALIER_PUBLIC_URL": ports.baseURL, "ESPALIER_PORT": "\(ports.server)", "ESPALIER_OPERATIONS_PORT": "\(ports.operations)",
            "ESPALIER_DATABASE_URL": database.serverURL,
            // For the commands: nothing that serves looks at it.
            "ESPALIER_MIGRATION_DATABASE_URL": database.ownerURL,
            "ESPALIER_MASTER_KEYS": try DevMasterKey.read(orMakeIn: folder),
            "ESPALIER_APPLE_BASE_URL": appleBaseURL ?? ports.simulatorURL,
            "ESPALIER_APPLE_ISSUERS": issuers.joined(separator: ","),
            // Whoever tries webhooks here has the receiver here.
            "ESPALIER_WEBHOOKS_ALLOW_PRIVATE": "true",
            "ESPALIER_SIMULATED_CLOCK": "true",
            // One process and one clock: whoever tries an export need not wait for it.
            "ESPALIER_USAGE_SETTLES_AFTER": "1",
            "ESPALIER_PRICING_PAGE": "true",
        ]
        // What is said aloud stands first; where it runs and on what is `dev`'s own to say.
        for name in [
            "ESPALIER_APPLE_ISSUERS", "ESPALIER_APPLE_AUDIENCE", "ESPALIER_APPLE_TIMEOUT", "ESPALIER_APPLE_CONCURRENCY",
            "ESPALIER_LOG_LEVEL", "ESPALIER_API_REQUESTS_PER_MINUTE", "ESPALIER_API_CHANGES_PER_MINUTE",
        ] {
            if let value = ProcessInfo.processInfo.environment[name] { environment[name] = value }
        }
        // The other commands are run on the same installation by it: set -a; . .espalier/dev.env
        let lines = environment.sorted { $0.key < $1.key }.map { "\($0.key)='\($0.value.replacing("'", with: "'\\''"))'\n" }
        try PrivateFile.write(Data(lines.joined().utf8), to: folder.appending(path: "dev.env"))
        return try Settings(environment: environment)
    }
}
