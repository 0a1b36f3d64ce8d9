import Foundation
import Postgres
import TestSupport
import Testing

/// The server's database role, stolen by an attacker, and a database with two tenants. The database's clock decides, as in production.
struct StolenRole: Sendable {
    static let platform: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]

    let database: TestDatabase
    let owner, server: DatabasePool
    let acme = UUID()
    let globex = UUID()
    let key = UUID()

    init() async throws {
        database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        server = try TestDatabase.pool(database.serverURL)
        _ = try await owner.run("DELETE FROM simulated_clock")
        for (id, slug) in [(acme, "acme"), (globex, "globex")] {
            _ = try await owner.run(
                """
                INSERT INTO tenant (id, slug, name, plan, status, created_at, updated_at)
                VALUES (\(id), \(slug), \(slug), 'free', 'active', now() - interval '100 days', now() - interval '100 days')
                """)
        }
        _ = try await owner.run(
            """
            INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at)
            VALUES (\(acme), \(key), 'x', '\\x01', 'abcd', '{}', now())
            """)
    }

    /// Runs as the attacker, who chooses the owner of the transaction.
    @discardableResult
    func attack(_ statement: SQL, as tenant: UUID? = nil) async throws -> Rows {
        try await server.run(
            statement, prelude: tenant.map { ["SELECT set_config('espalier.tenant', \($0)::text, true)"] } ?? Self.platform)
    }

    func expectRefused(_ statement: SQL, as tenant: UUID? = nil, _ state: String = "42501", _ comment: Comment? = nil) async {
        await #expect(comment) {
            try await attack(statement, as: tenant)
        } throws: { ($0 as? DatabaseError)?.sqlState == state }
    }
}
