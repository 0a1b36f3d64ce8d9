import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Tries to access other tenants' rows with the server's own database role.
@Suite("Tenant isolation")
struct TenantIsolationTests {
    /// Tables of tenant data, read from the catalog, so that a new table is tested automatically.
    static let tables: SQL = """
        SELECT c.relname::text AS name, c.relrowsecurity AS secured,
            (SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
             WHERE i.indrelid = c.oid AND i.indisprimary) AS first_of_key,
            EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.qual LIKE '%espalier.tenant%') AS compared,
            pg_get_userbyid(c.relowner)::text AS owner
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'schema_migration' ORDER BY 1
        """

    @Test("every table's key starts with the tenant, its policy protects it, and the server does not own it")
    func schema() async throws {
        let database = try await TestDatabase.make()
        let pool = try TestDatabase.pool(database.ownerURL)
        let tables = try await pool.run(Self.tables)
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
            try await Self.fill(globex, platform.ownerPool)
            let pool = platform.pool
            let prelude: [SQL] = ["SELECT set_config('espalier.tenant', \(acme.uuid.uuidString.lowercased()), true)"]

            let tables = try await platform.ownerPool.run(Self.tables).map { try $0.get("name", as: String.self) }
            for table in tables {
                let column = table == "tenant" ? "id" : "tenant_id"
                // The owner counts all of Globex's existing rows.
                let there = try await platform.ownerPool.run(
                    SQL(unsafe: "SELECT count(*) AS n FROM \(table) WHERE \(column) = '\(globex.uuid.uuidString)'")
                ).first { try $0.get("n", as: Int.self) }
                // Globex has no connection of its own. The shared one belongs to the platform, and Acme cannot access it either.
                if !["connection", "apple_key", "purged_table", "usage_archive", "digest_key", "master_key", "simulated_clock"].contains(
                    table)
                {
                    #expect(try #require(there) > 0, "\(table) is not tested")
                }
                for statement in [
                    "SELECT FROM \(table) WHERE \(column) <> '\(acme.uuid.uuidString)'",
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

    /// Inserts a row of the tenant into each table that a login does not write to.
    static func fill(_ tenant: ID<Tenant>, _ owner: DatabasePool) async throws {
        let (endpoint, event, deletion, transfer, now) = (UUID(), UUID(), UUID(), UUID(), Date())
        _ = try await owner.run([
            """
            INSERT INTO team_transfer (tenant_id, id, from_team_id, to_team_id, services_id, created_at, updated_at)
            VALUES (\(tenant), \(transfer), 'A1B2C3D4E5', 'Z9Y8X7W6V5', 'com.example.web', \(now), \(now))
            """,
            """
            INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, updated_at)
            SELECT \(tenant), \(transfer), id, 'collected', \(now) FROM tenant_user WHERE tenant_id = \(tenant) LIMIT 1
            """,
            "INSERT INTO usage_day VALUES (\(tenant), '2000-01-01', '2000-01-01', \(UUID()), 'own', 'login', 1)",
            "INSERT INTO usage_users VALUES (\(tenant), 'day', '2000-01-01', \(UUID()), 'own', 1)",
            "INSERT INTO usage_month_user VALUES (\(tenant), '2000-01-01', \(UUID()), \(UUID()), 'own', 1)",
            "INSERT INTO budget (tenant_id, logins, created_at, updated_at) VALUES (\(tenant), 1, \(now), \(now))",
            "INSERT INTO rate_card VALUES (\(tenant), \(UUID()), NULL, 1, '2026-11-01', false, 'USD', 0, 0, 0, 'graduated', '[{\"unit_price_micros\": 1}]', \(now))",
            """
            INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
            VALUES (\(tenant), '2000-01-01', \(UUID()), 'globex', 'Globex', \(now), \(now))
            """,
            "INSERT INTO statement_term VALUES (\(tenant), '2000-01-01', '2000-01-01', '2000-01-31', \(tenant), \(UUID()))",
            """
            INSERT INTO statement_line VALUES (\(tenant), '2000-01-01', 1, 'logins', '2000-01-01', '2000-01-01', '2000-01-31', 'free',
                \(UUID()), 1, 'x', 1, 1, 'USD', 1, 1)
            """,
            """
            INSERT INTO usage_sink (tenant_id, id, format, url, status, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'cloudevents', 'https://globex.test', 'paused', \(now), \(now))
            """,
            "INSERT INTO usage_sink_batch VALUES (\(tenant), \(UUID()), \(UUID()), 1, \(now))",
            "INSERT INTO usage_sink_event VALUES (\(tenant), \(UUID()), \(UUID()), \(now), '2026-11-01', \(UUID()), \(UUID()), 'login', 'own')",
            "INSERT INTO usage_sink_customer VALUES (\(tenant), 'cus_globex', \(now), \(now))",
            """
            INSERT INTO usage_meter_event (tenant_id, id, sink_id, starts_at, sequence, logins, created_at)
            VALUES (\(tenant), \(UUID()), \(UUID()), \(now), 0, 1, \(now))
            """,
            """
            INSERT INTO usage_sink_difference (tenant_id, id, customer_id, starts_at, tenants, sent, counted, found_at, checked_at, check_at)
            VALUES (\(tenant), \(UUID()), 'cus_globex', \(now), '{}', 1, 0, \(now), \(now), \(now))
            """,
            "INSERT INTO idempotency_key VALUES (\(tenant), \(UUID()), '\\x00', '\\x00', \(now), \(now))",
            "INSERT INTO outbox VALUES (\(tenant), \(UUID()), 'x', \(UUID()), 0, \(now), \(now.addingTimeInterval(86400)))",
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(tenant), \(endpoint), 'https://globex.test', '{user.created}', 'disabled', \(now), \(now))
            """,
            "INSERT INTO single_use VALUES (\(tenant), '\\x00', \(now))",
            "INSERT INTO revocation VALUES (\(tenant), \(UUID()), \(now), \(UUID()), NULL, NULL, \(now))",
            "INSERT INTO backchannel_logout VALUES (\(tenant), \(UUID()), \(UUID()), \(UUID()), \(UUID()), \(now))",
            "INSERT INTO user_deletion VALUES (\(tenant), \(deletion), \(UUID()), 'api', 'x', \(now), NULL, \(now))",
            """
            INSERT INTO apple_revocation (tenant_id, id, deletion_id, team_id, client_id, sealed_grant, status)
            VALUES (\(tenant), \(UUID()), \(deletion), 'A1B2C3D4E5', 'com.example', '\\x00', 'pending')
            """,
            """
            INSERT INTO apple_notification (tenant_id, id, jti, type, client_id, team_ids, event_at, sealed_payload, received_at,
                waiting_since, state, updated_at)
            VALUES (\(tenant), \(UUID()), 'x', 'x', 'x', '{x}', \(now), '\\x00', \(now), \(now), 'pending', \(now))
            """,
            "INSERT INTO webhook_secret VALUES (\(tenant), \(UUID()), \(endpoint), '\\x00', \(now))",
            "INSERT INTO webhook_event VALUES (\(tenant), \(event), 'user.created', \(now), '{}')",
            """
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, state, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), \(endpoint), \(event), 'succeeded', \(now), \(now))
            """,
        ])
    }

    @Test("without a tenant no rows are visible")
    func unset() async throws {
        try await TestPlatform.run { platform in
            let seen = try await platform.pool.run("SELECT count(*) AS n FROM application").first { try $0.get("n", as: Int.self) }
            #expect(seen == 0)
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
