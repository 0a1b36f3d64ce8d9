import Access
import Apple
import AppleSimulator
import ArgumentParser
import DemoApplication
import Domains
import EmbeddedPostgres
import Foundation
import Logging
import Mail
import People
import Postgres
import Server
import ServiceLifecycle

struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs everything on this machine: database, Apple simulator, a demo with two tenants, and the server.",
        discussion: """
            Stores its data in one folder and uses it again at the next start. Ctrl-C stops everything. In that folder, dev.json contains \
            the addresses and secrets for programs, and dev.env contains the settings for `espalier usage` and `espalier audit`. Listens \
            on loopback only.
            """)

    @Option(help: "The folder of its data.")
    var directory = ".espalier"

    @Option(help: "The server's port. Operations, simulator and demo use the next three.")
    var port = 8080

    @Option(
        name: .customLong("apple-base-url"),
        help: ArgumentHelp(
            "The URL of another Apple simulator to use instead. Register the content of apple.json in the folder there.", valueName: "url"))
    var appleBaseURL: String?

    @Option(help: ArgumentHelp("The folder of the documentation site for /docs. script/docs builds it.", valueName: "folder"))
    var documentation = ".build/docs"

    @OptionGroup var migrations: MigrationsFolder

    mutating func validate() throws {
        appleBaseURL = appleBaseURL ?? Self.simulatorURL(in: ProcessInfo.processInfo.environment, port: port)
        guard (1...65532).contains(port) else { throw ValidationError("--port must be from 1 to 65532. Three more ports follow it.") }
    }

    /// The Apple simulator in the environment. After `. .espalier/dev.env`, the environment contains the simulator of an earlier
    /// `espalier-dev dev`, and no other simulator is requested.
    private static func simulatorURL(in environment: [String: String], port: Int) -> String? {
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
                throw Settings.Refusal(description: "--directory: \(directory) cannot be created. Choose another folder.")
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
        let (catcher, names) = (try await MailCatcher.start(), try await NameServer.start(records: DevReport.records(in: folder)))
        let (settings, migrator, demo, operatorLink) = try await orRefuse {
            let database = try await DevDatabase(postgres, migrator: try migrations.migrator)
            var environment = try environment(database, folder, ports, mailPort: catcher.port)
            var settings = try Settings(environment: environment)
            settings.keyring = try await withPool(settings.databaseURL) { [settings] pool in
                try await InstalledKeys.open(settings.keyring, in: PlatformDatabase(pool, for: .command), at: Date())
            }
            // It refuses the names that are not in its file, and the resolvers of the system get them.
            settings.dnsResolvers = [ResolverAddress("127.0.0.1:\(names.port)")].compactMap(\.self) + settings.dnsResolvers
            let demo = try await DemoTenants(folder: folder, settings: settings, ports: ports, ownerURL: database.ownerURL)
            environment.merge(demo.platformSettings) { $1 }
            settings.platformApplication = try Settings(environment: environment).platformApplication
            // Other commands use the same installation with: set -a; . .espalier/dev.env
            let lines = environment.sorted { $0.key < $1.key }.map { "\($0.key)='\($0.value.replacing("'", with: "'\\''"))'\n" }
            try PrivateFile.write(Data(lines.joined().utf8), to: folder.appending(path: "dev.env"))
            let link = try await withPool(settings.databaseURL) { [settings] pool in
                try await Invitation.issueToFirstOperator(
                    MailAddress("operator@example.com")!, publicURL: settings.publicURL, keyring: settings.keyring,
                    in: OwnerDatabase(pool, owner: .platform), at: Date())
            }
            return (settings, database.migrator, demo, link)
        }
        let logger = Logger(label: "espalier") { _ in JSONLog(level: settings.logLevel) }
        let site = Documentation(folder: documentation, specification: "openapi.yaml")
        let report = DevReport(
            demo: demo, ports: ports, simulatorURL: settings.apple.baseURL, hasSimulator: appleBaseURL == nil, documentation: site,
            operatorLink: operatorLink, directory: folder)
        // The report appears when all of its addresses work.
        let arrivals = Arrivals(expecting: appleBaseURL == nil ? 3 : 2) {
            do { try report.publish() } catch { logger.error("dev.json could not be written", metadata: ["cause": "\(error)"]) }
        }
        let installation = try Installation(settings, migrator: migrator, logger: logger) { _ in arrivals.arrive() }
        var services: [any Service] = [catcher, names]
        if appleBaseURL == nil {
            let simulator = AppleSimulator(
                .init(port: ports.simulator, registry: try Registry(json: try demo.registry(ports))), logger: logger)
            services.append(simulator)
            Task { if (try? await simulator.port) != nil { arrivals.arrive() } }
        }
        services.append(
            DemoApplication(
                port: ports.demo, publicURL: ports.demoURL, baseURL: ports.baseURL, tenants: demo.forDemoApplication(ports),
                documentation: site, addPages: { MailPages(catcher).add(to: $0) }, logger: logger,
                onServerRunning: { _ in arrivals.arrive() }))
        services += installation.services
        try await orRefuse { try await ServiceGroup.run(services, logger: logger) }
    }

    /// The settings of the server, except for those of the demo's tenants.
    private func environment(_ database: DevDatabase, _ folder: URL, _ ports: DevPorts, mailPort: Int) throws -> [String: String] {
        let issuers = ["https://appleid.apple.com", "https://account.apple.com"] + (appleBaseURL.map { [$0] } ?? [])
        var environment = [
            "ESPALIER_PUBLIC_URL": ports.baseURL, "ESPALIER_PORT": "\(ports.server)", "ESPALIER_OPERATIONS_PORT": "\(ports.operations)",
            "ESPALIER_DATABASE_URL": database.serverURL,
            // For the commands. The server does not use it.
            "ESPALIER_MIGRATION_DATABASE_URL": database.ownerURL,
            "ESPALIER_MASTER_KEYS": try DevMasterKey.read(orMakeIn: folder),
            "ESPALIER_APPLE_BASE_URL": appleBaseURL ?? ports.simulatorURL,
            "ESPALIER_APPLE_ISSUERS": issuers.joined(separator: ","),
            // Receivers of webhooks also run on this machine.
            "ESPALIER_WEBHOOKS_ALLOW_PRIVATE": "true",
            "ESPALIER_SIMULATED_CLOCK": "true",
            // One process and one clock, so exports need not wait.
            "ESPALIER_USAGE_SETTLES_AFTER": "1",
            "ESPALIER_PRICING_PAGE": "true",
            // Nothing is delivered. A page shows the mails.
            "ESPALIER_SMTP_URL": "smtp://127.0.0.1:\(mailPort)",
            "ESPALIER_MAIL_FROM": "Espalier <espalier@example.com>",
        ]
        // These settings may come from the environment. `dev` itself determines the addresses and the database.
        for name in [
            "ESPALIER_APPLE_ISSUERS", "ESPALIER_APPLE_AUDIENCE", "ESPALIER_APPLE_TIMEOUT", "ESPALIER_APPLE_CONCURRENCY",
            "ESPALIER_LOG_LEVEL", "ESPALIER_API_REQUESTS_PER_MINUTE", "ESPALIER_API_CHANGES_PER_MINUTE",
        ] {
            if let value = ProcessInfo.processInfo.environment[name] { environment[name] = value }
        }
        return environment
    }
}
