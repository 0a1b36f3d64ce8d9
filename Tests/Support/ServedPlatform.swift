import Access
import Crypto
package import EmbeddedPostgres
import Foundation
import Postgres
import Sealing
import Tenancy

@testable package import Server

/// An installation as its operator runs it: `espalier migrate`, `espalier seed` and `espalier serve` as processes, with
/// settings from the environment. The test provides the Apple simulator, and sometimes PostgreSQL.
///
/// It has two tenants, as in `TestPlatform`: `acme` with its own connection, `globex` on the shared one.
package struct ServedPlatform: Sendable {
    package let ownerURL: String
    package let serverURL: String
    package let simulator: TestSimulator
    package let seeded: SeedResult
    /// Apple's side of Acme's connection.
    package let own: TestPlatform.AppleSide
    /// The settings of every process in the installation, without the ports.
    package let environment: [String: String]

    package var acme: SeedResult.TenantResult { seeded.tenants[0] }
    package var globex: SeedResult.TenantResult { seeded.tenants[1] }

    /// Creates it in a database of the shared cluster.
    package static func make() async throws -> ServedPlatform {
        let database = try await TestDatabase.make()
        return try await make(ownerURL: database.ownerURL, serverURL: database.serverURL)
    }

    /// Creates it in its own cluster, which the test can crash. The command migrates it.
    package static func make(in cluster: EmbeddedPostgres) async throws -> ServedPlatform {
        let administration = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres"))
        _ = try await administration.run(["CREATE ROLE espalier LOGIN CREATEROLE", "CREATE ROLE espalier_server LOGIN"])
        _ = try await administration.run("CREATE DATABASE espalier OWNER espalier")
        let ownerURL = await cluster.url(user: "espalier", database: "espalier")
        let migrated = try await Program.run(["migrate"], environment: ["ESPALIER_MIGRATION_DATABASE_URL": ownerURL])
        guard migrated.code == 0 else { throw CommandFailed(exit: migrated) }
        return try await make(ownerURL: ownerURL, serverURL: await cluster.url(user: "espalier_server", database: "espalier"))
    }

    private static func make(ownerURL: String, serverURL: String) async throws -> ServedPlatform {
        let simulator = try await TestSimulator.shared()
        let environment = settings(databaseURL: serverURL, appleURL: simulator.url)
        let (ownKey, sharedKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let own = try await simulator.register(ownKey, returnURL: "\(TestPlatform.publicURL)/t/acme/auth/apple/callback")
        let shared = try await simulator.register(sharedKey, returnURL: "\(TestPlatform.publicURL)/auth/apple/callback")
        let plan = plan(own: own, ownKey, shared: shared, sharedKey)
        let exit = try await Program.run(
            ["seed", "-"], environment: environment, input: String(decoding: try JSONEncoder().encode(plan), as: UTF8.self))
        guard exit.code == 0 else { throw CommandFailed(exit: exit) }
        return ServedPlatform(
            ownerURL: ownerURL, serverURL: serverURL, simulator: simulator,
            seeded: try JSONDecoder().decode(SeedResult.self, from: Data(exit.output.utf8)), own: own, environment: environment)
    }

    /// The minimum settings of `espalier serve`, with its own master key.
    package static func settings(databaseURL: String, appleURL: String) -> [String: String] {
        [
            "ESPALIER_PUBLIC_URL": TestPlatform.publicURL, "ESPALIER_DATABASE_URL": databaseURL,
            "ESPALIER_MASTER_KEYS": MasterKey.generate().base64.reveal(), "ESPALIER_APPLE_BASE_URL": appleURL,
            "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0", "ESPALIER_SHUTDOWN_DELAY": "0",
            // A long limit, because a busy machine must not look like a slow Apple.
            "ESPALIER_APPLE_TIMEOUT": "60",
        ]
    }

    private static func plan(
        own: TestPlatform.AppleSide, _ ownKey: P256.Signing.PrivateKey, shared: TestPlatform.AppleSide, _ sharedKey: P256.Signing.PrivateKey
    ) -> SeedPlan {
        func connection(_ side: TestPlatform.AppleSide, _ key: P256.Signing.PrivateKey) -> SeedPlan.ConnectionPlan {
            .init(team_id: side.team, services_id: side.servicesID, key_id: side.keyID, key: key.pemRepresentation)
        }
        let applications: [SeedPlan.ApplicationPlan] = [
            .init(name: "Web", kind: .web, redirect_uris: [TestPlatform.redirectURI]),
            .init(name: "Single page", kind: .spa, redirect_uris: [TestPlatform.redirectURI]),
        ]
        return SeedPlan(
            connection: connection(shared, sharedKey), api_keys: [.init(name: "Operator")],
            tenants: [
                .init(
                    slug: "acme", name: "Acme", plan: .enterprise, connection: connection(own, ownKey), applications: applications,
                    api_keys: [.init(name: "All")]),
                .init(slug: "globex", name: "Globex", plan: .free, applications: applications, api_keys: [.init(name: "All")]),
            ])
    }

    package struct CommandFailed: Error, CustomStringConvertible {
        package let exit: Program.Exit
        package var description: String { "a command ended with \(exit.code.map(String.init) ?? "a signal"):\n\(exit.errors)" }
    }

    /// The address of one `espalier serve`. A process that replaces another can have the same.
    package struct Place: Sendable {
        package let port: Int
        package let operationsPort: Int

        package init() {
            self.init(port: FreePorts.take(2))
        }

        /// - Parameter port: The public port. The operations port is the next one.
        package init(port: Int) {
            (self.port, operationsPort) = (port, port + 1)
        }

        package var address: String { "http://127.0.0.1:\(port)" }
        package var operations: String { "http://127.0.0.1:\(operationsPort)" }
        /// Returns a new browser for this address.
        package var browser: TestBrowser { TestBrowser(publicURL: TestPlatform.publicURL, address: address) }

        /// The status of `/readyz`; nil without a response.
        package var readiness: Int? {
            get async { try? await browser.get("\(operations)/readyz").status }
        }
    }

    /// Starts a server, and returns when it can serve.
    /// - Parameter settings: Settings that add to or replace the installation's settings.
    package func serve(at place: Place, settings: [String: String] = [:]) async throws -> Program {
        let program = try await Program.start(
            ["serve"],
            environment: environment.merging(settings) { $1 }.merging(
                ["ESPALIER_PORT": "\(place.port)", "ESPALIER_OPERATIONS_PORT": "\(place.operationsPort)"], uniquingKeysWith: { $1 }))
        do {
            try await ready(place)
        } catch {
            throw Program.StillRunning(limit: .seconds(60), said: program.talk)
        }
        return program
    }

    /// Returns when the server can serve: its public port listens, and its database responds.
    package func ready(_ place: Place) async throws {
        try await eventually("a server ready on port \(place.port)") {
            guard FreePorts.isListening(place.port) else { return false }
            return await place.readiness == 200
        }
    }
}
