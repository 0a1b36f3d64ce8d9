import Foundation
import Postgres
import TestSupport
import Testing

/// Attacks with the server's database role: with its password, or with SQL through a hole in the server. The role reads every row, so
/// these attacks try to change rows.
@Suite("The server's database role")
struct ServerRoleTests {
    private static let platform: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]

    private let database: TestDatabase
    private let owner, server: DatabasePool
    private let acme = UUID()
    private let globex = UUID()
    private let key = UUID()

    init() async throws {
        database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        server = try TestDatabase.pool(database.serverURL)
        // As in production: the database's clock decides.
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

    /// As the attacker, who chooses the owner of the transaction.
    @discardableResult
    private func attack(_ statement: SQL, as tenant: UUID? = nil) async throws -> Rows {
        try await server.run(
            statement, prelude: tenant.map { ["SELECT set_config('espalier.tenant', \($0)::text, true)"] } ?? Self.platform)
    }

    private func expectRefused(_ statement: SQL, as tenant: UUID? = nil, _ state: String = "42501", _ comment: Comment? = nil) async {
        await #expect(comment) {
            try await attack(statement, as: tenant)
        } throws: { ($0 as? DatabaseError)?.sqlState == state }
    }

    // MARK: Grants

    @Test("the role has exactly the grants in the list")
    func grants() async throws {
        let tables = try await owner.run(
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
        // Long lines are continued with an indentation.
        let listed = RoleGrants.tables.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(Set(tables).subtracting(listed).sorted() == [], "these grants are not in the list")
        #expect(Set(listed).subtracting(tables).sorted() == [], "these grants of the list are not there")
        let functions = try await owner.run(
            """
            SELECT oid::regprocedure::text AS name FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND prosecdef AND has_function_privilege('espalier_server', oid, 'EXECUTE')
            """
        ).map { try $0.get("name", as: String.self) }
        #expect(functions.sorted() == RoleGrants.functions.split(separator: "\n").map(String.init).sorted())
        let open = try await owner.run(
            """
            SELECT oid::regprocedure::text AS name FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND prosecdef
                AND NOT COALESCE(array_to_string(proconfig, ',') LIKE '%search_path=%pg_temp%', false)
            """
        ).map { try $0.get("name", as: String.self) }
        #expect(open == [], "these functions can be led to a caller's temporary tables")
    }

    @Test("no column of any table can be updated unless it is in the list: no owner, no ID, no time of creation")
    func columns() async throws {
        let columns = try await owner.run(
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
            await expectRefused(SQL(unsafe: "UPDATE \(table) SET \(column) = \(column)"), "42501", "\(table).\(column) can be updated")
        }
    }

    @Test("an API key is moved to no other owner: not by an update, nor by removing it and inserting it again")
    func moved() async throws {
        for statement: SQL in [
            "UPDATE api_key SET tenant_id = '00000000-0000-0000-0000-000000000000'", "UPDATE api_key SET digest = '\\x02'",
            "UPDATE api_key SET scopes = '{tenants:write}'", "UPDATE api_key SET id = gen_random_uuid()", "DELETE FROM api_key",
            "UPDATE application_secret SET application_id = gen_random_uuid()", "UPDATE signing_key SET tenant_id = \(globex)",
            "UPDATE session SET user_id = gen_random_uuid()", "UPDATE identity SET user_id = gen_random_uuid()",
            "UPDATE application SET tenant_id = \(globex)", "UPDATE connection SET team_id = 'AAAAAAAAAA'",
        ] { await expectRefused(statement) }
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

    @Test("an audit event gets the database's time and an ID of that time, for any time that it claims")
    func forgedTime() async throws {
        for claimed in ["now() - interval '1 year'", "now() + interval '6 minutes'", "'-infinity'", "now()"] {
            try await attack(event(acme, actor: "system", at: claimed))
        }
        let events = try await owner.run(
            """
            SELECT abs(extract(epoch FROM clock_timestamp() - occurred_at)) < 300 AS is_now,
                abs(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint - extract(epoch FROM occurred_at) * 1000) < 1001 AS agrees
            FROM audit_event WHERE tenant_id = \(acme)
            """)
        #expect(events.count == 4)
        for event in events {
            #expect(try event.get("is_now", as: Bool.self))
            #expect(try event.get("agrees", as: Bool.self))
        }
        // The attacker does not simulate a clock either.
        await expectRefused("INSERT INTO simulated_clock DEFAULT VALUES")
        _ = try await server.run(
            [
                "CREATE TEMP TABLE simulated_clock ON COMMIT DROP AS SELECT true AS x",
                event(acme, actor: "system", at: "now() - interval '1 year'"),
            ], prelude: Self.platform)
        let old = try await owner.run("SELECT FROM audit_event WHERE occurred_at < now() - interval '1 day'")
        #expect(old.isEmpty)
    }

    @Test("an audit event names an actor that exists and may act for the owner, in the owner's own transaction")
    func forgedActor() async throws {
        let operatorKey = UUID()
        _ = try await owner.run(
            """
            INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at)
            VALUES ('00000000-0000-0000-0000-000000000000', \(operatorKey), 'x', '\\x02', 'abcd', '{}', now())
            """)
        func name(_ kind: String, _ id: UUID) async throws -> String {
            try await owner.run("SELECT public_id(\(kind), \(id)) AS name")[0].get("name")
        }
        let (own, operators) = (try await name("apikey", key), try await name("apikey", operatorKey))
        for actor in [own, operators, "system", "apple"] { try await attack(event(acme, actor: actor), as: acme) }
        for (trail, actor) in [
            (acme, "root"), (acme, ""), (acme, try await name("apikey", UUID())), (acme, try await name("app", UUID())),
            (acme, try await name("app", key)), (acme, own + "0"), (acme, own.uppercased()),
            // Another tenant's key.
            (globex, own),
        ] { await expectRefused(event(trail, actor: actor), "23514", "\(actor)") }
        // Another tenant's trail.
        await expectRefused(event(globex, actor: "system"), as: acme)
        // Nor does a table of the attacker's own help.
        await #expect {
            _ = try await server.run(
                [
                    """
                    CREATE TEMP TABLE api_key ON COMMIT DROP AS
                        SELECT \(globex)::uuid AS tenant_id, id, revoked_at FROM api_key WHERE tenant_id = \(acme)
                    """, event(globex, actor: own),
                ], prelude: Self.platform)
        } throws: { ($0 as? DatabaseError)?.constraint == "audit_event_actor" }
        #expect(try await owner.run("SELECT FROM audit_event").count == 4)
    }

    @Test("the numbers and the hashes of the audit trail are the database's")
    func forgedChain() async throws {
        await expectRefused(event(acme, actor: "system", columns: ", sequence", values: ", 7"))
        await expectRefused(event(acme, actor: "system", columns: ", hash, previous_hash", values: ", '\\x00', '\\x00'"))
    }

    @Test("a trigger's function cannot be put on a table of the attacker's own")
    func triggers() async throws {
        let functions = try await owner.run(
            """
            SELECT proname::text AS name FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND prosecdef AND prorettype = 'trigger'::regtype
            """
        ).map { try $0.get("name", as: String.self) }
        #expect(functions.count >= 7)
        for function in functions {
            await #expect("\(function)") {
                _ = try await server.run(
                    [
                        "CREATE TEMP TABLE mine (tenant_id uuid, id uuid, user_id uuid) ON COMMIT DROP",
                        SQL(unsafe: "CREATE TRIGGER mine AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION \(function)()"),
                    ], prelude: Self.platform)
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        }
        for table in ["revocation", "backchannel_logout", "tenant_plan"] {
            await expectRefused(SQL(unsafe: "INSERT INTO \(table) SELECT * FROM \(table)"))
        }
    }

    // MARK: Statements

    @Test("no statement, term or line is inserted or changed")
    func statements() async throws {
        for statement: SQL in [
            """
            INSERT INTO statement (tenant_id, period, id, state, tenant_slug, tenant_name, claimed_until, events, digest, closing_at, closed_at)
            VALUES (\(acme), '2026-01-01', gen_random_uuid(), 'closed', 'acme', 'Acme', now(), 0, sha256(''), now(), now())
            """,
            """
            INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
            VALUES (\(acme), '2026-01-01', gen_random_uuid(), 'acme', 'Acme', now(), now())
            """,
            "UPDATE statement SET state = 'closed', events = 0, digest = sha256(''), closed_at = now()",
            "INSERT INTO statement_term SELECT * FROM statement_term", "INSERT INTO statement_line SELECT * FROM statement_line",
            "DELETE FROM statement", "DELETE FROM statement_line", "DELETE FROM statement_term", "TRUNCATE statement CASCADE",
        ] { await expectRefused(statement) }
    }

    @Test("a month is not taken before the database's clock says that it has ended, nor for a tenant by the tenant")
    func takenEarly() async throws {
        let early: SQL = "SELECT take_statement(\(acme), date_trunc('month', now())::date, now() + interval '2 months', now())"
        await expectRefused(early, "23514")
        await expectRefused("SELECT take_statement(\(acme), '2025-01-01', now(), now())", as: acme)
        await #expect {
            _ = try await server.run(
                ["CREATE TEMP TABLE simulated_clock ON COMMIT DROP AS SELECT true AS x", early], prelude: Self.platform)
        } throws: { ($0 as? DatabaseError)?.constraint == "statement_month_over" }
        #expect(try await owner.run("SELECT FROM statement").isEmpty)
    }

    /// The last month, with 3 logins, taken by the attacker; and how it closes.
    private struct Taken {
        var events = 3
        var digest = """
            sha256(convert_to((SELECT string_agg(to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || E'+00\t' || concat_ws(E'\t',
                id, application_id, user_id, kind, connection) || E'\n', '' ORDER BY occurred_at, id) FROM usage_event), 'UTF8'))
            """
        var terms = [
            "first_day": "FIRST", "last_day": "LAST", "rate_card_owner": "00000000-0000-0000-0000-000000000000",
            "rate_card_id": "00000000-0000-7000-8000-000000000003",
        ]
        var line: [String: any Sendable] = [
            "kind": "logins", "service_period": "FIRST", "first_day": "FIRST", "last_day": "LAST", "plan": "free",
            "rate_card_id": "00000000-0000-7000-8000-000000000003", "rate_card_version": 1, "description": "Logins", "quantity": 3,
            "unit_price_micros": 5000, "currency": "USD", "exact_micros": 15000, "amount_micros": 20000,
        ]
    }

    private func close(_ change: (inout Taken) -> Void = { _ in }, claim: String = "'2100-01-01'", as tenant: UUID? = nil) async throws {
        var taken = Taken()
        change(&taken)
        let days = try await owner.run(
            """
            SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date::text AS first,
                (date_trunc('month', now() AT TIME ZONE 'UTC')::date - 1)::text AS last,
                (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 months')::date::text AS prior,
                ((date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date - 1)::text AS prior_last
            """)[0]
        let (first, last) = (try days.get("first", as: String.self), try days.get("last", as: String.self))
        let (prior, priorLast) = (try days.get("prior", as: String.self), try days.get("prior_last", as: String.self))
        func json(_ row: [String: any Sendable]) throws -> String {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: row.isEmpty ? [] : [row]), as: UTF8.self)
                .replacing("PRIOR_FIRST", with: prior).replacing("PRIOR_LAST", with: priorLast)
            return "'" + text.replacing("FIRST", with: first).replacing("LAST", with: last) + "'"
        }
        try await attack(
            SQL(
                unsafe: """
                    SELECT close_statement('\(acme)', '\(first)', \(claim), \(taken.events), \(taken.digest), now(),
                        \(try json(taken.terms)), \(try json(taken.line)))
                    """), as: tenant)
    }

    @Test("a month closes with its own logins, its own digest, and prices that exist, or it stays open")
    func closedFalsely() async throws {
        _ = try await owner.run(
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT at, date_trunc('month', at AT TIME ZONE 'UTC')::date, \(acme), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
                'login', 'own'
            FROM generate_series(1, 3) AS n,
                LATERAL (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - n * interval '1 day') AT TIME ZONE 'UTC' AS at) AS day
            """)
        // Not before it is taken.
        await #expect { try await close() } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
        let taken = try await attack(
            """
            SELECT taken_id FROM take_statement(\(acme), (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date,
                '2000-01-01', '2100-01-01')
            """)
        #expect(taken.count == 1)

        let ownCard = UUID()
        _ = try await owner.run(
            """
            INSERT INTO rate_card SELECT \(globex), \(ownCard), NULL, 1, effective_from, false, currency, 0, 0, 0, tier_mode, tiers, now()
            FROM rate_card LIMIT 1
            """)
        let lies: [(String, @Sendable (inout Taken) -> Void)] = [
            ("fewer logins", { ($0.events, $0.line["quantity"]) = (2, 2) }),
            ("more logins", { ($0.events, $0.line["quantity"]) = (4, 4) }),
            ("lines with fewer logins", { $0.line["quantity"] = 2 }),
            ("lines with other logins", { ($0.line["kind"], $0.line["exact_micros"]) = ("base_fee", 20000) }),
            ("another digest", { $0.digest = "sha256('')" }),
            ("another amount", { $0.line["amount_micros"] = 0 - 1_000_000 }),
            ("another price", { $0.line["unit_price_micros"] = 1 }),
            ("another exact amount", { $0.line["exact_micros"] = 0 }),
            (
                "a price that is not on the rate card, and the amount that fits it",
                { ($0.line["unit_price_micros"], $0.line["exact_micros"], $0.line["amount_micros"]) = (50000, 150_000, 150_000) }
            ),
            ("logins that are included and cost something", { $0.line["kind"] = "included" }),
            ("a rate card that does not exist", { $0.line["rate_card_id"] = UUID().uuidString }),
            ("another tenant's rate card", { $0.line["rate_card_id"] = ownCard.uuidString }),
            (
                "another tenant's rate card in a term",
                { ($0.terms["rate_card_owner"], $0.terms["rate_card_id"]) = (globex.uuidString, ownCard.uuidString) }
            ),
            ("another version", { $0.line["rate_card_version"] = 2 }),
            ("another currency", { $0.line["currency"] = "EUR" }),
            ("days of another month", { $0.line["first_day"] = "2020-01-01" }),
            ("a month of the future", { $0.line["service_period"] = "2100-01-01" }),
            ("a correction of the month itself", { $0.line["kind"] = "correction" }),
            ("a term of another month", { $0.terms["first_day"] = "2020-01-01" }),
            ("no term", { $0.terms = [:] }),
            ("no price, and any amount", { ($0.line["unit_price_micros"], $0.line["exact_micros"]) = (nil, 0) }),
            (
                "logins as a correction of an earlier month",
                {
                    ($0.line["kind"], $0.line["service_period"]) = ("correction", "PRIOR_FIRST")
                    ($0.line["first_day"], $0.line["last_day"]) = ("PRIOR_FIRST", "PRIOR_LAST")
                }
            ),
        ]
        for (lie, change) in lies {
            await #expect("\(lie)") { try await close(change) } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
        }
        await #expect("a claim that another process has") { try await close(claim: "'2099-01-01'") } throws: {
            ($0 as? DatabaseError)?.constraint == "statement_checked"
        }
        await #expect("in a tenant's transaction") { try await close(as: acme) } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        #expect(try await owner.run("SELECT FROM statement_line").isEmpty)

        // The truth.
        try await close()
        let closed = try await owner.run(
            "SELECT state, events, abs(extract(epoch FROM clock_timestamp() - closed_at)) < 300 AS is_now FROM statement")[0]
        #expect(try closed.get("state", as: String.self) == "closed")
        #expect(try closed.get("is_now", as: Bool.self))
        #expect(try await owner.run("SELECT FROM statement_line WHERE position = 1 AND tenant_id = \(acme)").count == 1)
        await #expect("twice") { try await close() } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
    }

    @Test("a correction has the late logins of its month, and costs at most what they can cost")
    func correctedFalsely() async throws {
        _ = try await owner.run(
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT (month - interval '1 day') AT TIME ZONE 'UTC', month::date, \(acme), gen_random_uuid(), gen_random_uuid(),
                gen_random_uuid(), 'login', 'own'
            FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month' AS month) AS last
            """)
        _ = try await attack(
            """
            SELECT taken_id FROM take_statement(\(acme), (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date,
                '2000-01-01', '2100-01-01')
            """)
        @Sendable func late(_ taken: inout Taken) {
            (taken.events, taken.line["kind"], taken.line["quantity"]) = (1, "correction", 1)
            (taken.line["exact_micros"], taken.line["amount_micros"]) = (5000, 10000)
            taken.line["service_period"] = "PRIOR_FIRST"
            (taken.line["first_day"], taken.line["last_day"]) = ("PRIOR_FIRST", "PRIOR_LAST")
        }
        let lies: [(String, @Sendable (inout Taken) -> Void)] = [
            ("more late logins", { $0.line["quantity"] = 2 }),
            ("late logins of another month", { $0.line["service_period"] = "2020-01-01" }),
            ("a high amount", { $0.line["amount_micros"] = 1_000_000_000 }),
            (
                "a high exact amount, and the amount that fits it",
                {
                    ($0.line["exact_micros"], $0.line["amount_micros"]) = (1_000_000_000, 1_000_000_000)
                }
            ),
            ("a credit", { ($0.line["exact_micros"], $0.line["amount_micros"]) = (-1_000_000_000, -1_000_000_000) }),
        ]
        for (lie, change) in lies {
            await #expect("\(lie)") {
                try await close {
                    late(&$0)
                    change(&$0)
                }
            } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
        }
        try await close(late)
        #expect(try await owner.run("SELECT FROM statement WHERE state = 'closed'").count == 1)
    }

    // MARK: Credentials and master keys

    @Test("a revoked or expiring credential is not revived, and another one still ends")
    func revived() async throws {
        let secret = UUID()
        let application = UUID()
        _ = try await owner.run([
            "UPDATE api_key SET revoked_at = now() - interval '1 day', expires_at = now() - interval '1 hour'",
            """
            INSERT INTO application (tenant_id, id, kind, name, redirect_uris, created_at, updated_at)
            VALUES (\(acme), \(application), 'web', 'Web', '{https://app.test/}', now(), now())
            """,
            """
            INSERT INTO application_secret (tenant_id, id, application_id, digest, last_four, expires_at, created_at)
            VALUES (\(acme), \(secret), \(application), '\\x03', 'abcd', now(), now())
            """,
        ])
        for statement: SQL in [
            "UPDATE api_key SET revoked_at = NULL", "UPDATE api_key SET revoked_at = now() + interval '1 day'",
            "UPDATE api_key SET expires_at = NULL", "UPDATE api_key SET expires_at = now() + interval '1 day'",
            "UPDATE api_key SET revoked_at = NULL, expires_at = NULL", "UPDATE application_secret SET expires_at = NULL",
            "UPDATE application_secret SET expires_at = 'infinity'",
        ] { await expectRefused(statement) }
        try await attack("UPDATE api_key SET expires_at = expires_at - interval '1 hour', last_used_at = now()")
        try await attack("UPDATE application_secret SET expires_at = expires_at - interval '1 hour'")
    }

    @Test("a master key is noted through a function alone, at the database's time, and the rows are limited")
    func masterKeys() async throws {
        for statement: SQL in [
            """
            INSERT INTO master_key (tenant_id, id, sealing_at, created_at)
            VALUES ('00000000-0000-0000-0000-000000000000', '\\x01020304', 'infinity', now())
            """,
            "UPDATE master_key SET sealing_at = 'infinity'", "DELETE FROM master_key",
        ] { await expectRefused(statement) }
        try await attack("SELECT note_master_keys(ARRAY['\\x01020304'::bytea], 'infinity')")
        let noted = try await owner.run("SELECT sealing_at <= clock_timestamp() AS is_past FROM master_key")
        #expect(try noted.map { try $0.get("is_past", as: Bool.self) } == [true])
        await expectRefused(
            "SELECT note_master_keys(ARRAY(SELECT decode(lpad(to_hex(n), 8, '0'), 'hex') FROM generate_series(1, 100) AS n), now())",
            "54000")
    }

    // MARK: The owner of the schema

    @Test("what is promised to stay is truncated by no role, the owner of the schema included, nor are parts of the ledger")
    func truncated() async throws {
        _ = try await server.run("SELECT create_usage_partition('2025-01-01')", prelude: Self.platform)
        let tables = [
            "statement_line", "statement_term", "statement CASCADE", "audit_event", "usage_event", "usage_event_default",
            "usage_event_2025_01", "ONLY usage_event_2025_01", "rate_card", "tenant_plan", "usage_archive", "user_deletion CASCADE",
            "rate_card, statement_line",
        ]
        for table in tables {
            await #expect("\(table)") { _ = try await owner.run(SQL(unsafe: "TRUNCATE \(table)")) } throws: {
                ($0 as? DatabaseError)?.constraint == "truncate_refused"
            }
        }
    }
}
