import Access
import Postgres
import Synchronization
import Tenancy
import TestSupport
import Testing

@testable import Server

/// Each kind of work has its own connections.
@Suite("Database pools")
struct DatabasePoolsTests {
    @Test(
        "while one kind of work uses all of its connections, logins, refreshes, API calls and exports of the others succeed",
        arguments: ["exports", "bulk", "background", "administration", "purges"])
    func separate(occupied: String) async throws {
        try await TestPlatform.run { platform in
            let pools = platform.installation.pools
            let limits = platform.settings.databaseConnections
            let all = [
                "exports": (pools.exports, limits.exports), "bulk": (pools.bulk, limits.bulk),
                "background": (pools.background, limits.background),
                "administration": (pools.administration, limits.administration), "purges": (pools.purges, 2),
            ]
            let (pool, limit) = try #require(all[occupied])
            try await Self.occupy(pool, limit) {
                let login = try await platform.login()
                #expect(try await login.browser.refresh(login.refresh, login.request).status == 200)
                if occupied != "administration" { #expect(try await platform.call("GET", "/tenants/acme").status == 200) }
                if !["administration", "exports"].contains(occupied) {
                    let export = try await platform.export(TestPlatform.march + "&format=csv")
                    #expect(export.status == 200, "\(String(decoding: export.body, as: UTF8.self))")
                }
                let load = await pool.load
                #expect(load.idle == 0)
                let metrics = await pools.metrics
                #expect(
                    metrics.split(separator: "\n").contains(
                        "espalier_database_connections{pool=\"\(occupied)\",state=\"lent\"} \(load.lent)"))
                #expect(metrics.split(separator: "\n").contains("espalier_database_refused_total{pool=\"\(occupied)\"} \(load.refused)"))
            }
            try await eventually("the connections are free") {
                await pools.metrics.split(separator: "\n").contains("espalier_database_connections{pool=\"\(occupied)\",state=\"lent\"} 0")
            }
        }
    }

    @Test("while eight exports and the closing of a month get no further, logins and refreshes succeed")
    func bulk() async throws {
        try await TestPlatform.run { platform in
            try await platform.appendMany(100)
            // Two exports of an owner are allowed at a time, and six of all tenants.
            let created = try await platform.call("POST", "/tenants", ["slug": "initech", "name": "Initech", "plan": "scale"])
            #expect(created.status == 201, "\(created.body)")
            let issued = try await platform.call("POST", "/tenants/initech/api-keys", ["name": "Export", "scopes": ["usage:read"]])
            let keys = [
                platform.seeded.api_keys[0].secret, platform.acme.api_keys[0].secret, platform.globex.api_keys[0].secret,
                try #require(issued.json["secret"] as? String, "\(issued.body)"),
            ]
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let (held, hold) = AsyncStream.makeStream(of: Void.self)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            // Another writer of the audit trail. The closing waits for it at its last statement, with all of its locks.
            let writer = try TestDatabase.pool(platform.database.ownerURL) { $0.idleInTransactionTimeout = .zero }
            async let writing: Void = writer.transaction { db in
                defer { hold.finish() }
                _ = try await db.run("SELECT pg_advisory_xact_lock(\(Self.auditLock)::int, hashtext(\(acme)::uuid::text))")
                hold.yield()
                for await _ in ended {}
            }
            let isHeld = await held.first { _ in true } != nil
            #expect(isHeld)
            async let closed = platform.close(
                at: "2026-04-02T00:00:00Z",
                over: TestDatabase.pool(platform.database.serverURL) { ($0.lockTimeout, $0.statementTimeout) = (.zero, .zero) })
            try await eventually("the closing waits") { try await platform.isWaitedFor(Self.auditLock) }

            let pools = platform.installation.pools
            let exports = Exports()
            try await Self.occupy(pools.exports, platform.settings.databaseConnections.exports) {
                for key in keys + keys {
                    exports.add { try await platform.export(TestPlatform.march + "&format=csv", key: key).status }
                }
                try await eventually("all exports wait") { await pools.exports.load.waiting == 8 }
                for _ in 1...3 {
                    let login = try await platform.login()
                    #expect(try await login.browser.refresh(login.refresh, login.request).status == 200)
                }
                // A refused export waits for no connection.
                #expect(try await platform.export(TestPlatform.march + "&format=csv", key: keys[1]).status == 429)
                #expect(await pools.exports.load.waiting == 8)
            }
            for export in exports.all { #expect(try await export.value == 200) }
            #expect(try await platform.isWaitedFor(Self.auditLock))
            end.finish()
            try await writing
            #expect(try await closed == 1)
        }
    }

    /// The class of the advisory locks of the audit trails.
    private static let auditLock = 1_634_755_937

    /// Uses all connections of a pool during `body`.
    private static func occupy(_ pool: DatabasePool, _ limit: Int, during body: @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (stream, ended) = AsyncStream.makeStream(of: Void.self)
            let end = Task { for await _ in stream {} }
            for _ in 1...limit {
                group.addTask {
                    try await pool.transaction { db in
                        _ = try await db.run("SELECT 1")
                        await end.value
                    }
                }
            }
            try await eventually("all connections are in use") {
                await pool.load.lent == limit
            }
            do { try await body() } catch {
                ended.finish()
                throw error
            }
            ended.finish()
            try await group.waitForAll()
        }
    }
}

/// Exports in progress, with their statuses.
private final class Exports: Sendable {
    private let tasks = Mutex<[Task<Int, any Error>]>([])

    var all: [Task<Int, any Error>] { tasks.withLock { $0 } }

    func add(_ export: @Sendable @escaping () async throws -> Int) {
        tasks.withLock { $0.append(Task(operation: export)) }
    }
}
