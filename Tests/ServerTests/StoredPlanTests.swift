import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// A session of PostgreSQL stores the plans of its statements and of its foreign keys. For an almost empty table, the cheapest plan
/// reads the whole table. The growth of a table does not end such a plan; only the next ANALYZE does. The setting `enable_seqscan=off`
/// of the server's sessions avoids it.
@Suite("Stored plans")
struct StoredPlanTests {
    @Test("a plan made for an almost empty table reads no whole table after the table has grown")
    func growth() async throws {
        try await TestPlatform.run(
            on: .make(),
            {
                $0.databaseConnections = DatabaseConnections(logins: 1, administration: 1, exports: 1, bulk: 1, background: 1)
            }
        ) {
            platform in
            let tenant = try #require(ID<Tenant>(platform.acme.id)).uuid
            let owner = platform.ownerPool
            // One session each: with the server's settings, and without them.
            let plain = try TestDatabase.pool(platform.database.serverURL) { $0.maximumConnections = 1 }
            try await Self.add(1...3, to: tenant, in: owner)
            _ = try await owner.run("ANALYZE tenant_user, session")
            // After 5 executions, PostgreSQL may store a plan that does not depend on the values.
            for _ in 1...8 {
                for pool in [platform.pool, plain] { _ = try await Self.scans(of: pool, tenant) }
            }
            try await Self.add(4...20_000, to: tenant, in: owner)
            #expect(try await Self.scans(of: platform.pool, tenant) == 0)
            // If this fails, PostgreSQL no longer needs the setting.
            #expect(try await Self.scans(of: plain, tenant) > 0)
        }
    }

    /// Users with a session each. Their IDs are their numbers.
    private static func add(_ numbers: ClosedRange<Int>, to tenant: UUID, in owner: DatabasePool) async throws {
        let ids: SQL = """
            SELECT lpad(number::text, 32, '0')::uuid AS id
            FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) AS number
            """
        _ = try await owner.run([
            "INSERT INTO tenant_user (tenant_id, id, created_at, updated_at) SELECT \(tenant), id, now(), now() FROM (\(part: ids)) AS new",
            """
            INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at)
            SELECT \(tenant), id, id, id, 'openid', now(), now() + interval '1 day', now() FROM (\(part: ids)) AS new
            """,
        ])
    }

    /// Reads a session and its user by their keys and adds a session.
    /// - Returns: How often these statements read a whole table.
    private static func scans(of pool: DatabasePool, _ tenant: UUID) async throws -> Int {
        let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000002"))
        let count: SQL = """
            SELECT sum(seq_scan)::bigint AS scans FROM pg_stat_xact_user_tables WHERE relname IN ('session', 'tenant_user')
            """
        return try await pool.transaction(prelude: ["SELECT set_config('espalier.tenant', \(tenant.uuidString.lowercased()), true)"]) {
            db in
            let before: Int = try await db.run(count)[0].get("scans")
            let found = try await db.run([
                "SELECT user_id FROM session WHERE tenant_id = \(tenant) AND id = \(id)",
                """
                SELECT u.email FROM session s JOIN tenant_user u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
                WHERE s.tenant_id = \(tenant) AND s.id = \(id)
                """,
                """
                INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at)
                VALUES (\(tenant), \(UUID()), \(id), \(id), 'openid', now(), now() + interval '1 day', now())
                """,
            ])
            #expect(found.map(\.affected) == [1, 1, 1])
            return try await db.run(count)[0].get("scans", as: Int.self) - before
        }
    }
}
