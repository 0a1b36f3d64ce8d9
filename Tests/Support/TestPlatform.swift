import Access
import AppleSimulator
import AsyncHTTPClient
import Crypto
package import Foundation
import Logging
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
package import Postgres
import Sealing
import ServiceLifecycle
import Synchronization
import Tenancy

@testable package import Server

/// A whole installation for one test: its own database, the server on a free port, the Apple simulator that all tests
/// share, and two tenants: `acme` with its own connection, `globex` on the shared one.
///
/// Its public URL is `https://login.test`, so that cookies are as in production. `TestBrowser` finds the real
/// address.
package struct TestPlatform: Sendable {
    package static let publicURL = "https://login.test"
    package static let redirectURI = "https://app.test/callback"

    package let database: TestDatabase
    package let settings: Settings
    /// In base64.
    package let masterKey: String
    package let simulator: TestSimulator
    package let seeded: SeedResult
    /// Apple's side of Acme's connection and of the shared one.
    package let own: AppleSide
    package let shared: AppleSide
    /// The address at which the server really listens.
    package let address: String
    /// For the server's role. For tests that read tables, `ownerPool` sees all rows.
    package let pool: DatabasePool
    package let ownerPool: DatabasePool
    package let installation: Installation

    package struct AppleSide: Sendable {
        package let team: String
        package let servicesID: String
        package let keyID: String
    }

    package var acme: SeedResult.TenantResult { seeded.tenants[0] }
    package var globex: SeedResult.TenantResult { seeded.tenants[1] }

    /// Provides an installation to the body, and stops it afterwards.
    /// - Parameter database: a database that the test needs before the installation starts, or a new one for a test of plans, because the
    ///   planner also sees the space of deleted rows. By default, it may be a database of an earlier test, without its rows.
    package static func run<T: Sendable>(
        on database: TestDatabase? = nil, log: RecordedLog? = nil, _ adjust: @Sendable (inout Settings) -> Void = { _ in },
        _ body: @Sendable @escaping (TestPlatform) async throws -> T
    ) async throws -> T {
        let isLent = database == nil
        let database = if let database { database } else { try await TestCluster.shared.lend() }
        let simulator = try await TestSimulator.shared()
        let masterKey = MasterKey.generate().base64.reveal()
        var settings = try Settings(environment: [
            "ESPALIER_PUBLIC_URL": publicURL, "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0",
            "ESPALIER_DATABASE_URL": database.serverURL,
            "ESPALIER_MASTER_KEYS": masterKey, "ESPALIER_APPLE_BASE_URL": simulator.url,
            "ESPALIER_LOG_LEVEL": "critical", "ESPALIER_DATABASE_CONNECTIONS": "4", "ESPALIER_DATABASE_BULK_CONNECTIONS": "2",
            // High limits, because tests call often and with invalid keys. Tests of the limits set their own.
            "ESPALIER_API_REQUESTS_PER_MINUTE": "1000000", "ESPALIER_API_CHANGES_PER_MINUTE": "1000000",
            // Nothing answers there. Tests of domains have a resolver of their own.
            "ESPALIER_DNS_RESOLVER": "127.0.0.1:9",
            // A long limit, because a busy machine must not look like a slow Apple. Tests of a slow Apple set their
            // own.
            "ESPALIER_APPLE_TIMEOUT": "60",
        ])
        adjust(&settings)
        let (listening, port) = AsyncStream.makeStream(of: Int.self)
        let logger = log?.logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var access = DatabasePool.Configuration(url: database.ownerURL, maximumConnections: 2)
        // Many tests need no session of the owner after the start.
        access.minimumConnections = 0
        let owner = try DatabasePool(access, logger: logger)
        settings.keyring = try await InstalledKeys.open(settings.keyring, in: PlatformDatabase(owner), at: Date())
        let installation = try Installation(settings, migrator: try Migrator(folder: TestDatabase.migrations), logger: logger) {
            port.yield($0)
        }
        let group = ServiceGroup(
            configuration: .init(services: (installation.services(withPasses: false) + [owner]).map { .init(named: $0) }, logger: logger))
        let finalSettings = settings
        return try await withThrowingTaskGroup(of: T?.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
                return nil
            }
            tasks.addTask {
                guard let bound = await listening.first(where: { _ in true }) else { return nil }
                let (seeded, own, shared) = try await seed(installation.pools.background, finalSettings, simulator)
                let platform = TestPlatform(
                    database: database, settings: finalSettings, masterKey: masterKey, simulator: simulator, seeded: seeded, own: own,
                    shared: shared, address: "http://127.0.0.1:\(bound)", pool: installation.pools.background, ownerPool: owner,
                    installation: installation)
                return try await body(platform)
            }
            while let result = try await tasks.next() {
                guard let result else { continue }
                await group.triggerGracefulShutdown()
                while try await tasks.next() != nil {}
                if isLent { await TestCluster.shared.giveBack(database) }
                return result
            }
            throw CancellationError()
        }
    }

    /// Calls the REST API.
    /// - Parameters:
    ///   - path: The path below `/v1`, such as `/tenants/acme`.
    ///   - key: An API key. Default: an operator's key.
    ///   - body: The JSON body.
    package func call(
        _ method: String, _ path: String, key: String? = nil, _ body: [String: any Sendable]? = nil, headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        var headers = headers + [("Authorization", "Bearer \(key ?? seeded.api_keys[0].secret)")]
        var text: String?
        if let body {
            headers.append(("Content-Type", "application/json"))
            // The same body always has the same bytes, because an `Idempotency-Key` is bound to them.
            text = String(decoding: try JSONSerialization.data(withJSONObject: body, options: .sortedKeys), as: UTF8.self)
        }
        return try await TestBrowser(self).send(method, "\(Self.publicURL)/v1\(path)", headers: headers, body: text)
    }

    /// Issues an operator's key that has no scope except this one.
    package func narrowKey(_ scope: String = "tenants:read") async throws -> String {
        let issued = try await call("POST", "/platform/api-keys", ["name": "Narrow", "scopes": [scope]])
        guard let secret = issued.json["secret"] as? String else {
            throw TestSimulator.Refused(description: "no key: \(issued.status) \(issued.body)")
        }
        return secret
    }

    private static func seed(
        _ pool: DatabasePool, _ settings: Settings, _ simulator: TestSimulator
    ) async throws -> (SeedResult, AppleSide, AppleSide) {
        let (ownKey, sharedKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let own = try await simulator.register(ownKey, returnURL: "\(publicURL)/t/acme/auth/apple/callback")
        let shared = try await simulator.register(sharedKey, returnURL: "\(publicURL)/auth/apple/callback")
        func connection(_ side: AppleSide, _ key: P256.Signing.PrivateKey) -> SeedPlan.ConnectionPlan {
            .init(team_id: side.team, services_id: side.servicesID, key_id: side.keyID, key: key.pemRepresentation)
        }
        func tenant(_ slug: String, _ plan: Tenant.Plan, _ own: SeedPlan.ConnectionPlan?) -> SeedPlan.TenantPlan {
            .init(
                slug: slug, name: slug.capitalized, plan: plan, connection: own,
                applications: [
                    .init(name: "Web", kind: .web, redirect_uris: [redirectURI]),
                    .init(name: "Single page", kind: .native, redirect_uris: [redirectURI, "http://127.0.0.1/callback"]),
                    .init(name: "Old", kind: .web, redirect_uris: [redirectURI], requires_pkce: false),
                ],
                api_keys: [.init(name: "All"), .init(name: "Reads tenants", scopes: [.tenantsRead])])
        }
        let plan = SeedPlan(
            connection: connection(shared, sharedKey), api_keys: [.init(name: "Operator")],
            tenants: [tenant("acme", .enterprise, connection(own, ownKey)), tenant("globex", .free, nil)])
        var seed = Seed(keyring: settings.keyring, publicURL: publicURL, folder: URL(filePath: "."), at: Date())
        return (try await seed.run(plan, in: PlatformDatabase(pool)), own, shared)
    }
}

/// The Apple simulator that the tests of a run share. Each test has its own teams, Services IDs and people, so that
/// concurrent tests do not affect each other. Faults name their client.
package struct TestSimulator: Sendable {
    package let url: String

    private static let started = Task { () -> String in
        let simulator = AppleSimulator(.init(), logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() })
        Task { try await simulator.run() }
        return try await simulator.url
    }

    package static func shared() async throws -> TestSimulator {
        TestSimulator(url: try await started.value)
    }

    /// A team with one key and one Services ID.
    func register(_ key: P256.Signing.PrivateKey, returnURL: String) async throws -> TestPlatform.AppleSide {
        let side = TestPlatform.AppleSide(
            team: Self.randomID(), servicesID: "com.example.\(Self.randomID().lowercased())", keyID: Self.randomID())
        try await send(.PUT, "/simulator/teams/\(side.team)", [:])
        try await send(
            .PUT, "/simulator/services-ids/\(side.servicesID)",
            ["team": side.team, "display_name": "Test", "return_urls": [returnURL]])
        try await send(
            .POST, "/simulator/keys", ["team": side.team, "id": side.keyID, "public_key": key.publicKey.pemRepresentation])
        return side
    }

    /// Adds a fault at Apple. See the simulator's `FaultRequest` for the fields. Set the client.
    package func fault(_ fields: [String: any Sendable]) async throws {
        try await send(.POST, "/simulator/faults", fields)
    }

    @discardableResult
    package func send(_ method: HTTPMethod, _ path: String, _ body: [String: any Sendable]) async throws -> Data {
        var request = HTTPClientRequest(url: url + path)
        request.method = .init(rawValue: method.rawValue)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(data: try JSONSerialization.data(withJSONObject: body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        guard (200..<300).contains(response.status.code) else {
            throw Refused(description: "\(method) \(path): \(response.status.code) \(String(decoding: answer, as: UTF8.self))")
        }
        return answer
    }

    package enum HTTPMethod: String, Sendable { case GET, POST, PUT, DELETE }

    package struct Refused: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Ten characters, as in Team IDs and Key IDs.
    private static func randomID() -> String {
        String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement()! })
    }
}
