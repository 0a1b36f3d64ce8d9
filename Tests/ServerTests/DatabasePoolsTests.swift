import Postgres
import TestSupport
import Testing

@testable import Server

/// Each kind of work has its own connections.
@Suite("Database pools")
struct DatabasePoolsTests {
    @Test(
        "while one kind of work uses all of its connections, logins, refreshes, API calls and exports of the others succeed",
        arguments: ["bulk", "background", "administration", "purges"])
    func separate(occupied: String) async throws {
        try await TestPlatform.run { platform in
            let pools = platform.installation.pools
            let limits = platform.settings.databaseConnections
            let all = [
                "bulk": (pools.bulk, limits.bulk), "background": (pools.background, limits.background),
                "administration": (pools.administration, limits.administration), "purges": (pools.purges, 2),
            ]
            let (pool, limit) = try #require(all[occupied])
            try await Self.occupy(pool, limit) {
                let login = try await platform.login()
                #expect(try await login.browser.refresh(login.refresh, login.request).status == 200)
                if occupied != "administration" { #expect(try await platform.call("GET", "/tenants/acme").status == 200) }
                if !["administration", "bulk"].contains(occupied) {
                    let export = try await platform.export(TestPlatform.march + "&format=csv")
                    #expect(export.status == 200, "\(String(decoding: export.body, as: UTF8.self))")
                }
                let load = await pool.load
                #expect(load.idle == 0)
                let metrics = await pools.metrics
                #expect(
                    metrics.split(separator: "\n").contains(
                        "espalier_database_connections{pool=\"\(occupied)\",state=\"lent\"} \(load.lent)"))
            }
            try await eventually("the connections are free") {
                await pools.metrics.split(separator: "\n").contains("espalier_database_connections{pool=\"\(occupied)\",state=\"lent\"} 0")
            }
        }
    }

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
