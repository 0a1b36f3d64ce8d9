import Foundation
import Postgres
import TestSupport
import Testing

/// Attacks with the server's database role, by its password or by SQL injection in the server. The role reads every row, so these
/// attacks try to change rows.
@Suite("The server's database role")
struct ServerRoleTests {
    private let role: StolenRole

    init() async throws {
        role = try await StolenRole()
    }

    // MARK: Grants

    @Test("the role has exactly the grants in the list")
    func grants() async throws {
        let tables = try await role.owner.run(
            """
            SELECT name || ': ' || grants AS line FROM (
                SELECT c.relname::text AS name, array_to_string(ARRAY(
                    SELECT acl.privilege_type FROM aclexplode(c.relacl) AS acl
                    WHERE acl.grantee IN (0, 'espalier_server'::regrole) ORDER BY 1
                ) || ARRAY(
                    SELECT acl.privilege_type || '(' || string_agg(a.attname, ' ' ORDER BY a.attname) || ')'
                    FROM pg_attribute AS a, aclexplode(a.attacl) AS acl
                    WHERE a.attrelid = c.oid AND NOT a.attisdropped AND acl.grantee IN (0, 'espalier_server'::regrole)
                    GROUP BY acl.privilege_type ORDER BY 1
                ), ' ') AS grants
                FROM pg_class AS c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')) AS granted
            WHERE grants <> '' ORDER BY name
            """
        ).map { try $0.get("line", as: String.self) }
        // Long lines continue with an indentation.
        let listed = RoleGrants.tables.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(Set(tables).subtracting(listed).sorted() == [], "these grants are not in the list")
        #expect(Set(listed).subtracting(tables).sorted() == [], "these grants of the list are missing")
        let functions = try await role.owner.run(
            """
            SELECT oid::regprocedure::text AS name FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND prosecdef AND has_function_privilege('espalier_server', oid, 'EXECUTE')
            """
        ).map { try $0.get("name", as: String.self) }
        #expect(functions.sorted() == RoleGrants.functions.split(separator: "\n").map(String.init).sorted())
        let open = try await role.owner.run(
            """
            SELECT oid::regprocedure::text AS name FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND (prosecdef OR prorettype = 'trigger'::regtype)
                AND NOT COALESCE(array_to_string(proconfig, ',') LIKE '%search_path=%pg_temp%', false)
            """
        ).map { try $0.get("name", as: String.self) }
        #expect(open == [], "these functions can use a caller's temporary tables")
    }

    @Test("no column of any table can be updated unless it is in the list: no owner, no ID, no creation time")
    func columns() async throws {
        let columns = try await role.owner.run(
            """
            SELECT c.relname::text AS table, a.attname::text AS column FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
            """)
        var updatable: [String: Set<String>] = [:]
        for line in RoleGrants.tables.split(separator: "\n") {
            guard let match = line.firstMatch(of: /UPDATE\(([^)]*)\)/) else { continue }
            updatable[String(line.prefix { $0 != ":" })] = Set(match.1.split(separator: " ").map(String.init))
        }
        #expect(columns.count > 200)
        for row in columns {
            let (table, column) = (try row.get("table", as: String.self), try row.get("column", as: String.self))
            if updatable[table]?.contains(column) == true {
                // The claim of an expired Idempotency-Key is its time.
                #expect(!["tenant_id", "id"].contains(column) && (column != "created_at" || table == "idempotency_key"))
                continue
            }
            await role.expectRefused(SQL(unsafe: "UPDATE \(table) SET \(column) = \(column)"), "42501", "\(table).\(column) can be updated")
        }
    }

    @Test("an API key cannot be moved to another owner, by an update or by removal and insertion")
    func moved() async throws {
        for statement: SQL in [
            "UPDATE api_key SET tenant_id = '00000000-0000-0000-0000-000000000000'", "UPDATE api_key SET digest = '\\x02'",
            "UPDATE api_key SET scopes = '{tenants:write}'", "UPDATE api_key SET id = gen_random_uuid()", "DELETE FROM api_key",
            "UPDATE application_secret SET application_id = gen_random_uuid()", "UPDATE signing_key SET tenant_id = \(role.globex)",
            "UPDATE session SET user_id = gen_random_uuid()", "UPDATE identity SET user_id = gen_random_uuid()",
            "UPDATE application SET tenant_id = \(role.globex)", "UPDATE connection SET team_id = 'AAAAAAAAAA'",
        ] { await role.expectRefused(statement) }
    }

    // MARK: Audit trail

    private func event(
        _ trail: UUID, actor: String, at moment: String = "now()", columns: String = "", values: String = ""
    ) -> SQL {
        SQL(
            unsafe: """
                INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject\(columns))
                VALUES ('\(trail)', gen_random_uuid(), \(moment), '\(actor)', 'act', 'x'\(values))
                """)
    }

    @Test("an audit event gets the database's time and an ID of that time, regardless of the time it claims")
    func forgedTime() async throws {
        for claimed in ["now() - interval '1 year'", "now() + interval '6 minutes'", "'-infinity'", "now()"] {
            try await role.attack(event(role.acme, actor: "system", at: claimed))
        }
        let events = try await role.owner.run(
            """
            SELECT abs(extract(epoch FROM clock_timestamp() - occurred_at)) < 300 AS is_now,
                abs(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint - extract(epoch FROM occurred_at) * 1000) < 1001 AS agrees
            FROM audit_event WHERE tenant_id = \(role.acme)
            """)
        #expect(events.count == 4)
        for event in events {
            #expect(try event.get("is_now", as: Bool.self))
            #expect(try event.get("agrees", as: Bool.self))
        }
        // The attacker does not simulate a clock either.
        await role.expectRefused("INSERT INTO simulated_clock DEFAULT VALUES")
        _ = try await role.server.run(
            [
                "CREATE TEMP TABLE simulated_clock ON COMMIT DROP AS SELECT true AS x",
                event(role.acme, actor: "system", at: "now() - interval '1 year'"),
            ], prelude: StolenRole.platform)
        let old = try await role.owner.run("SELECT FROM audit_event WHERE occurred_at < now() - interval '1 day'")
        #expect(old.isEmpty)
    }

    @Test("an audit event names an existing actor that may act for the owner, in the owner's own transaction")
    func forgedActor() async throws {
        let operatorKey = UUID()
        _ = try await role.owner.run(
            """
            INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at)
            VALUES ('00000000-0000-0000-0000-000000000000', \(operatorKey), 'x', '\\x02', 'abcd', '{}', now())
            """)
        let initial = UUID()
        _ = try await role.owner.run(
            """
            INSERT INTO initial_access_token (tenant_id, id, name, digest, bound_digest, last_four, kinds, requires_pkce, max_registrations,
                registrations, expires_at, created_at, updated_at)
            VALUES (\(role.acme), \(initial), 'x', '\\x02', '\\x02', 'abcd', '{web}', true, 1, 1, now(), now(), now())
            """)
        func name(_ kind: String, _ id: UUID) async throws -> String {
            try await role.owner.run("SELECT public_id(\(kind), \(id)) AS name")[0].get("name")
        }
        let (own, operators) = (try await name("apikey", role.key), try await name("apikey", operatorKey))
        let registrant = try await name("iat", initial)
        for actor in [own, operators, registrant, "system", "apple"] {
            try await role.attack(event(role.acme, actor: actor), as: role.acme)
        }
        for (trail, actor) in [
            (role.acme, "root"), (role.acme, ""), (role.acme, try await name("apikey", UUID())), (role.acme, try await name("app", UUID())),
            (role.acme, try await name("app", role.key)), (role.acme, own + "0"), (role.acme, own.uppercased()),
            (role.acme, try await name("iat", UUID())), (role.acme, try await name("iat", role.key)),
            // Another tenant's key.
            (role.globex, own), (role.globex, registrant),
        ] { await role.expectRefused(event(trail, actor: actor), "23514", "\(actor)") }
        // Another tenant's trail.
        await role.expectRefused(event(role.globex, actor: "system"), as: role.acme)
        // A table of the attacker's own does not help either.
        await #expect {
            _ = try await role.server.run(
                [
                    """
                    CREATE TEMP TABLE api_key ON COMMIT DROP AS
                        SELECT \(role.globex)::uuid AS tenant_id, id, revoked_at FROM api_key WHERE tenant_id = \(role.acme)
                    """, event(role.globex, actor: own),
                ], prelude: StolenRole.platform)
        } throws: { ($0 as? DatabaseError)?.constraint == "audit_event_actor" }
        #expect(try await role.owner.run("SELECT FROM audit_event").count == 5)
    }

    @Test("the database assigns the numbers and the hashes of the audit trail")
    func forgedChain() async throws {
        await role.expectRefused(event(role.acme, actor: "system", columns: ", sequence", values: ", 7"))
        await role.expectRefused(event(role.acme, actor: "system", columns: ", hash, previous_hash", values: ", '\\x00', '\\x00'"))
    }

    @Test("a trigger's function cannot be used on a table of the attacker's own")
    func triggers() async throws {
        let functions = try await role.owner.run(
            """
            SELECT proname::text AS name FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND prosecdef AND prorettype = 'trigger'::regtype
            """
        ).map { try $0.get("name", as: String.self) }
        #expect(functions.count >= 7)
        for function in functions {
            await #expect("\(function)") {
                _ = try await role.server.run(
                    [
                        "CREATE TEMP TABLE mine (tenant_id uuid, id uuid, user_id uuid) ON COMMIT DROP",
                        SQL(unsafe: "CREATE TRIGGER mine AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION \(function)()"),
                    ], prelude: StolenRole.platform)
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        }
        for table in ["revocation", "backchannel_logout", "tenant_plan"] {
            await role.expectRefused(SQL(unsafe: "INSERT INTO \(table) SELECT * FROM \(table)"))
        }
    }

    // MARK: Credentials and master keys

    @Test("a revoked or expiring credential cannot be restored, and another one can still end")
    func revived() async throws {
        let secret = UUID()
        let application = UUID()
        _ = try await role.owner.run([
            "UPDATE api_key SET revoked_at = now() - interval '1 day', expires_at = now() - interval '1 hour'",
            """
            INSERT INTO application (tenant_id, id, kind, name, redirect_uris, created_at, updated_at)
            VALUES (\(role.acme), \(application), 'web', 'Web', '{https://app.test/}', now(), now())
            """,
            """
            INSERT INTO application_secret (tenant_id, id, application_id, digest, last_four, expires_at, created_at)
            VALUES (\(role.acme), \(secret), \(application), '\\x03', 'abcd', now(), now())
            """,
        ])
        for statement: SQL in [
            "UPDATE api_key SET revoked_at = NULL", "UPDATE api_key SET revoked_at = now() + interval '1 day'",
            "UPDATE api_key SET expires_at = NULL", "UPDATE api_key SET expires_at = now() + interval '1 day'",
            "UPDATE api_key SET revoked_at = NULL, expires_at = NULL", "UPDATE application_secret SET expires_at = NULL",
            "UPDATE application_secret SET expires_at = 'infinity'",
        ] {
            await role.expectRefused(statement)
            // A table of the attacker's own does not help either.
            await #expect {
                _ = try await role.server.run([Self.ownCatalog, statement], prelude: StolenRole.platform)
            } throws: { ($0 as? DatabaseError)?.constraint == "credential_end_kept" }
        }
        try await role.attack("UPDATE api_key SET expires_at = expires_at - interval '1 hour', last_used_at = now()")
        try await role.attack("UPDATE application_secret SET expires_at = expires_at - interval '1 hour'")
    }

    /// A catalog in which the attacker owns every table.
    private static let ownCatalog: SQL = """
        CREATE TEMP TABLE pg_class ON COMMIT DROP AS
            SELECT oid, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user) AS relowner FROM pg_catalog.pg_class
        """

    @Test("an ended session, ended tokens and a deleted user cannot be restored")
    func returned() async throws {
        let (user, session) = (UUID(), UUID())
        _ = try await role.owner.run([
            """
            INSERT INTO tenant_user (tenant_id, id, created_at, updated_at, tokens_valid_after, deleted_at, erase_after)
            VALUES (\(role.acme), \(user), now(), now(), now(), now(), now())
            """,
            """
            INSERT INTO session (tenant_id, id, user_id, application_id, scope, created_at, refreshed_at, expires_at, ended_at, ended_reason)
            VALUES (\(role.acme), \(session), \(user), gen_random_uuid(), 'openid', now(), now(), now() + interval '1 day', now(), 'revoked')
            """, "UPDATE tenant SET tokens_valid_after = now()",
        ])
        for statement: SQL in [
            "UPDATE session SET ended_at = NULL, ended_reason = NULL", "UPDATE tenant SET tokens_valid_after = NULL",
            "UPDATE tenant SET tokens_valid_after = now() - interval '1 day'", "UPDATE tenant_user SET tokens_valid_after = NULL",
            "UPDATE tenant_user SET tokens_valid_after = '-infinity'", "UPDATE tenant_user SET deleted_at = NULL, erase_after = NULL",
        ] {
            await role.expectRefused(statement)
            await #expect {
                _ = try await role.server.run([Self.ownCatalog, statement], prelude: StolenRole.platform)
            } throws: { ($0 as? DatabaseError)?.constraint == "credential_end_kept" }
        }
        try await role.attack("UPDATE tenant_user SET tokens_valid_after = now() + interval '1 minute'")
    }

    @Test("a master key is noted only by a function, at the database's time, and the rows are limited")
    func masterKeys() async throws {
        for statement: SQL in [
            """
            INSERT INTO master_key (tenant_id, id, sealing_at, created_at)
            VALUES ('00000000-0000-0000-0000-000000000000', '\\x01020304', 'infinity', now())
            """,
            "UPDATE master_key SET sealing_at = 'infinity'", "DELETE FROM master_key",
        ] { await role.expectRefused(statement) }
        try await role.attack("SELECT note_master_keys(ARRAY['\\x01020304'::bytea], 'infinity')")
        let noted = try await role.owner.run("SELECT sealing_at <= clock_timestamp() AS is_past FROM master_key")
        #expect(try noted.map { try $0.get("is_past", as: Bool.self) } == [true])
        await role.expectRefused(
            "SELECT note_master_keys(ARRAY(SELECT decode(lpad(to_hex(n), 8, '0'), 'hex') FROM generate_series(1, 100) AS n), now())",
            "54000")
    }

    // MARK: The owner of the schema

    @Test("no role, including the owner of the schema, can truncate permanent data or partitions of the ledger")
    func truncated() async throws {
        _ = try await role.server.run("SELECT create_usage_partition('2025-01-01')", prelude: StolenRole.platform)
        let tables = [
            "statement_line", "statement_term", "statement CASCADE", "audit_event", "usage_event", "usage_event_default",
            "usage_event_2025_01", "ONLY usage_event_2025_01", "rate_card", "tenant_plan", "usage_archive", "user_deletion CASCADE",
            "rate_card, statement_line",
        ]
        for table in tables {
            await #expect("\(table)") { _ = try await role.owner.run(SQL(unsafe: "TRUNCATE \(table)")) } throws: {
                ($0 as? DatabaseError)?.constraint == "truncate_refused"
            }
        }
    }
}
