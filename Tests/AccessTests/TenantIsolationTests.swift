import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// Tries to access other tenants' rows with the server's own database role.
@Suite("Tenant isolation")
struct TenantIsolationTests {
    /// The rows of the platform that every tenant may read (migration 0030): the prices of the plans, and the archived months.
    static let shared = ["rate_card": "plan IS NOT NULL", "usage_archive": "true"]

    @Test("every table's key starts with the tenant, its policy protects it, and the server does not own it")
    func schema() async throws {
        let database = try await TestDatabase.make()
        let pool = try TestDatabase.pool(database.ownerURL)
        let tables = try await pool.run(TenantTables.all)
        #expect(tables.count >= 10)
        for table in tables {
            let name: String = try table.get("name")
            #expect(try table.get("secured", as: Bool.self), "\(name) has no row-level security")
            #expect(try table.get("compared", as: Bool.self), "\(name) has no policy that compares espalier.tenant")
            let first: String? = try table.get("first_of_key")
            #expect(first == (name == "tenant" ? "id" : "tenant_id"), "\(name)'s key begins with \(first ?? "nothing")")
            #expect(try table.get("owner", as: String.self) != "espalier_server")
        }
        let role = try await pool.run("SELECT rolbypassrls OR rolsuper AS powerful FROM pg_roles WHERE rolname = 'espalier_server'")
        #expect(try role.first { try $0.get("powerful", as: Bool.self) } == false)
    }

    @Test("the partitions of a table cannot be accessed without its policy")
    func partitions() async throws {
        let database = try await TestDatabase.make()
        let pool = try TestDatabase.pool(database.ownerURL)
        let parts = try await pool.run(
            """
            SELECT relname::text AS name, has_table_privilege('espalier_server', oid, 'SELECT, INSERT, UPDATE, DELETE') AS granted
            FROM pg_class WHERE relispartition AND relkind = 'r'
            """)
        #expect(parts.count >= 4)
        for part in parts {
            let name: String = try part.get("name")
            #expect(try !part.get("granted", as: Bool.self), "\(name) is granted")
        }
    }

    @Test("one tenant's transaction cannot see, change, remove or add another tenant's rows")
    func crossing() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.globex)
            let browser = TestBrowser(platform)
            let back = try await browser.signIn(request)
            // The code is redeemed twice, so the audit trail has an event too.
            for _ in 0..<2 { _ = try await browser.redeem(try #require(back["code"]), request) }
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let globex = try #require(ID<Tenant>(platform.globex.id))
            try await TenantTables.fill(globex, platform.ownerPool)
            let pool = platform.pool
            let prelude: [SQL] = ["SELECT set_config('espalier.tenant', \(acme.uuid.uuidString.lowercased()), true)"]

            let tables = try await platform.ownerPool.run(TenantTables.all).map { try $0.get("name", as: String.self) }
            for table in tables {
                let column = table == "tenant" ? "id" : "tenant_id"
                // The owner counts all of Globex's existing rows.
                let there = try await platform.ownerPool.run(
                    SQL(unsafe: "SELECT count(*) AS n FROM \(table) WHERE \(column) = '\(globex.uuid.uuidString)'")
                ).first { try $0.get("n", as: Int.self) }
                // Globex has no connection of its own. The shared one belongs to the platform, and Acme cannot access it either.
                if ![
                    "connection", "apple_key", "purged_table", "lost_host", "usage_archive", "digest_key", "master_key", "simulated_clock",
                    // Accounts belong to the platform.
                    "person", "person_device", "person_session", "person_totp", "passkey", "recovery_code", "person_identity",
                ].contains(table) {
                    #expect(try #require(there) > 0, "\(table) is not tested")
                }
                for statement in [
                    "SELECT FROM \(table) WHERE \(column) <> '\(acme.uuid.uuidString)' AND NOT (\(Self.shared[table] ?? "false"))",
                    "UPDATE \(table) SET \(column == "id" ? "name" : column) = \(column == "id" ? "name" : column) WHERE \(column) = '\(globex.uuid.uuidString)'",
                    "DELETE FROM \(table) WHERE \(column) = '\(globex.uuid.uuidString)'",
                ] {
                    do {
                        let rows = try await pool.run(SQL(unsafe: statement), prelude: prelude)
                        #expect(rows.affected == 0, "\(statement) sees or touches another tenant's rows")
                    } catch let error as DatabaseError {
                        // The statement is not granted at all, which is stricter.
                        #expect(error.sqlState == "42501")
                    }
                }
            }
            // A tenant reads the plans' prices and changes none.
            let prices = try await pool.run("SELECT DISTINCT tenant_id FROM rate_card WHERE plan IS NOT NULL", prelude: prelude)
            #expect(try prices.map { try $0.get("tenant_id", as: UUID.self) } == [UUID.platform])
            await #expect {
                _ = try await pool.run(
                    """
                    INSERT INTO rate_card SELECT tenant_id, gen_random_uuid(), plan, version + 1, effective_from, follows_plan, currency,
                        base_fee_micros, included_logins, minimum_micros, tier_mode, tiers, created_at
                    FROM rate_card WHERE plan = 'free'
                    """, prelude: prelude)
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
            // The policy refuses a row of another tenant.
            await #expect {
                _ = try await pool.run(
                    """
                    INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject)
                    VALUES (\(globex), \(UUID()), \(Date()), 'x', 'x', 'x')
                    """, prelude: prelude)
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        }
    }

    @Test("without a tenant no row of any table is visible, not even after another transaction of the session")
    func unset() async throws {
        try await TestPlatform.run { platform in
            try await TenantTables.fill(try #require(ID<Tenant>(platform.globex.id)), platform.ownerPool)
            _ = try await platform.ownerPool.run(
                "INSERT INTO usage_archive (month, rows, archived_at) VALUES ('2000-01-01', 1, now())")
            let pool = try TestDatabase.pool(platform.database.serverURL)
            for table in try await platform.ownerPool.run(TenantTables.all).map({ try $0.get("name", as: String.self) }) {
                do {
                    _ = try await pool.run("SELECT 1", prelude: ["SELECT set_config('espalier.tenant', 'platform', true)"])
                    let rows = try await pool.run(SQL(unsafe: "SELECT FROM \(table)"))
                    #expect(rows.isEmpty, "\(table)")
                } catch let error as DatabaseError {
                    #expect(error.sqlState == "42501", "\(table)")
                }
            }
            #expect(try await pool.run("SELECT FROM shared_connection()").isEmpty)
            // With a tenant, the shared rows are visible, and the number of archived events is not.
            let acme = OwnerDatabase(pool, tenant: try #require(ID<Tenant>(platform.acme.id)))
            #expect(try await acme.run("SELECT month FROM usage_archive").count == 1)
            #expect(try await acme.run("SELECT FROM shared_connection()").count == 1)
            await #expect {
                _ = try await acme.run("SELECT rows FROM usage_archive")
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        }
    }

    @Test("the ledger and the audit trail cannot be rewritten, and a slug cannot be changed")
    func appendOnly() async throws {
        try await TestPlatform.run { platform in
            let prelude: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]
            for statement in [
                "UPDATE usage_event SET occurred_at = now()", "DELETE FROM usage_event", "TRUNCATE usage_event",
                "UPDATE audit_event SET actor = 'x'", "DELETE FROM audit_event", "UPDATE tenant SET slug = 'other'", "DELETE FROM tenant",
            ] {
                await #expect("\(statement) should be refused") {
                    _ = try await platform.pool.run(SQL(unsafe: statement), prelude: prelude)
                } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
            }
        }
    }
}
