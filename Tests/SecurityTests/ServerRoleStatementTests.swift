import Foundation
import Postgres
import TestSupport
import Testing

/// Attacks on statements with the server's database role: false contents, and statements that are too early or never come.
@Suite("The server's database role and statements")
struct ServerRoleStatementTests {
    private let month: StolenMonth
    private var role: StolenRole { month.role }

    init() async throws {
        month = try await StolenMonth()
    }

    @Test("no statement, term or line is inserted or changed")
    func statements() async throws {
        for statement: SQL in [
            """
            INSERT INTO statement (tenant_id, period, id, state, tenant_slug, tenant_name, claimed_until, events, digest, closing_at, closed_at)
            VALUES (\(role.acme), '2026-01-01', gen_random_uuid(), 'closed', 'acme', 'Acme', now(), 0, sha256(''), now(), now())
            """,
            """
            INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
            VALUES (\(role.acme), '2026-01-01', gen_random_uuid(), 'acme', 'Acme', now(), now())
            """,
            "UPDATE statement SET state = 'closed', events = 0, digest = sha256(''), closed_at = now()",
            "INSERT INTO statement_term SELECT * FROM statement_term", "INSERT INTO statement_line SELECT * FROM statement_line",
            "DELETE FROM statement", "DELETE FROM statement_line", "DELETE FROM statement_term", "TRUNCATE statement CASCADE",
        ] { await role.expectRefused(statement) }
    }

    @Test("a month is not taken before it has ended by the database's clock, nor by the tenant itself")
    func takenEarly() async throws {
        let early: SQL = "SELECT take_statement(\(role.acme), date_trunc('month', now())::date, now() + interval '2 months', now())"
        await role.expectRefused(early, "23514")
        await role.expectRefused("SELECT take_statement(\(role.acme), '2025-01-01', now(), now())", as: role.acme)
        await #expect {
            _ = try await role.server.run(
                ["CREATE TEMP TABLE simulated_clock ON COMMIT DROP AS SELECT true AS x", early], prelude: StolenRole.platform)
        } throws: { ($0 as? DatabaseError)?.constraint == "statement_month_over" }
        #expect(try await role.owner.run("SELECT FROM statement").isEmpty)
    }

    private static let cardOfScale = "00000000-0000-7000-8000-000000000002"
    private static let overlapping = """
        (SELECT jsonb_agg(jsonb_build_object('first_day', first + n, 'last_day', (first + interval '1 month')::date - 1,
            'rate_card_owner', '00000000-0000-0000-0000-000000000000', 'rate_card_id', '00000000-0000-7000-8000-000000000003'))
        FROM (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date AS first) AS month, generate_series(0, 1) AS n)
        """

    private static let single = """
        (SELECT jsonb_agg(jsonb_build_object('first_day', first + n, 'last_day', first + n,
            'rate_card_owner', '00000000-0000-0000-0000-000000000000', 'rate_card_id', '00000000-0000-7000-8000-000000000003'))
        FROM (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date AS first) AS month, generate_series(0, 27) AS n)
        """

    @Test("a month closes only with its own logins, its own digest, and existing prices")
    func closedFalsely() async throws {
        _ = try await role.owner.run(
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT at, date_trunc('month', at AT TIME ZONE 'UTC')::date, \(role.acme), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
                'login', 'own'
            FROM generate_series(1, 3) AS n,
                LATERAL (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - n * interval '1 day') AT TIME ZONE 'UTC' AS at) AS day
            """)
        // Not before it is taken.
        await #expect { try await month.close() } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
        try await month.take()

        let ownCard = UUID()
        _ = try await role.owner.run(
            """
            INSERT INTO rate_card SELECT \(role.globex), \(ownCard), NULL, 1, effective_from, false, currency, 0, 0, 0, tier_mode, tiers, now()
            FROM rate_card LIMIT 1
            """)
        let lies: [(String, @Sendable (inout StolenMonth.Taken) -> Void)] = [
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
            (
                "logins as silent sign-ins, which are free",
                {
                    $0.line["kind"] = "silent_logins"
                    ($0.line["unit_price_micros"], $0.line["exact_micros"], $0.line["amount_micros"]) = (0, 0, 0)
                }
            ),
            (
                "a silent sign-in that is not in the ledger",
                {
                    var line = $0.line
                    (line["kind"], line["quantity"], line["unit_price_micros"]) = ("silent_logins", 1, 0)
                    (line["exact_micros"], line["amount_micros"]) = (0, 0)
                    $0.more = [line]
                }
            ),
            ("logins that are included and cost something", { $0.line["kind"] = "included" }),
            ("a rate card that does not exist", { $0.line["rate_card_id"] = UUID().uuidString }),
            ("another tenant's rate card", { $0.line["rate_card_id"] = ownCard.uuidString }),
            (
                "another tenant's rate card in a term",
                { ($0.terms["rate_card_owner"], $0.terms["rate_card_id"]) = (role.globex.uuidString, ownCard.uuidString) }
            ),
            ("another version", { $0.line["rate_card_version"] = 2 }),
            ("another currency", { $0.line["currency"] = "EUR" }),
            ("days of another month", { $0.line["first_day"] = "2020-01-01" }),
            ("a month of the future", { $0.line["service_period"] = "2100-01-01" }),
            ("a correction of the month itself", { $0.line["kind"] = "correction" }),
            ("a term of another month", { $0.terms["first_day"] = "2020-01-01" }),
            ("no term", { $0.terms = [:] }),
            ("no price, and any amount", { ($0.line["unit_price_micros"], $0.line["exact_micros"]) = (nil, 0) }),
            ("terms that are null", { $0.otherTerms = "NULL" }),
            ("two terms for the same days", { $0.otherTerms = Self.overlapping }),
            ("a term for some of the days", { $0.terms["last_day"] = "FIRST" }),
            ("the days of no term", { $0.line["last_day"] = "FIRST" }),
            ("an amount beyond the rounding to a coin", { $0.line["amount_micros"] = 30000 }),
            ("terms of one day each", { $0.otherTerms = Self.single }),
            (
                "logins that the rate card does not include",
                { ($0.line["kind"], $0.line["exact_micros"], $0.line["amount_micros"]) = ("included", 0, 0) }
            ),
            (
                "a line for each login, each rounded up",
                {
                    ($0.line["quantity"], $0.line["exact_micros"], $0.line["amount_micros"]) = (1, 5000, 500_000)
                    $0.more = [$0.line, $0.line]
                }
            ),
            (
                "a line without a login that costs something",
                {
                    var line = $0.line
                    (line["quantity"], line["exact_micros"], line["amount_micros"]) = (0, 0, 500_000)
                    $0.more = [line]
                }
            ),
            (
                "the rate card of a plan that the tenant never had",
                {
                    $0.terms["rate_card_id"] = Self.cardOfScale
                    ($0.line["rate_card_id"], $0.line["plan"]) = (Self.cardOfScale, "scale")
                }
            ),
            (
                "logins as a correction of an earlier month",
                {
                    ($0.line["kind"], $0.line["service_period"]) = ("correction", "PRIOR_FIRST")
                    ($0.line["first_day"], $0.line["last_day"]) = ("PRIOR_FIRST", "PRIOR_LAST")
                }
            ),
        ]
        for (lie, change) in lies { await month.expectOpen(lie, change) }
        await #expect("a claim that another process has") { try await month.close(claim: "'2099-01-01'") } throws: {
            ($0 as? DatabaseError)?.constraint == "statement_checked"
        }
        await #expect("in a tenant's transaction") { try await month.close(as: role.acme) } throws: {
            ($0 as? DatabaseError)?.sqlState == "42501"
        }
        #expect(try await role.owner.run("SELECT FROM statement_line").isEmpty)

        // The right values.
        try await month.close()
        let closed = try await role.owner.run(
            "SELECT state, events, abs(extract(epoch FROM clock_timestamp() - closed_at)) < 300 AS is_now FROM statement")[0]
        #expect(try closed.get("state", as: String.self) == "closed")
        #expect(try closed.get("is_now", as: Bool.self))
        #expect(try await role.owner.run("SELECT FROM statement_line WHERE position = 1 AND tenant_id = \(role.acme)").count == 1)
        await #expect("twice") { try await month.close() } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
    }

    @Test("a month is not claimed permanently, nor before the tenant had a plan, and no plan begins in the past")
    func claimedFalsely() async throws {
        for (period, end) in [
            ("(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date", "'infinity'"),
            ("'2020-01-01'::date", month.claim),
        ] {
            await #expect("\(period) until \(end)") { try await month.take(period, until: end) } throws: {
                ($0 as? DatabaseError)?.constraint == "statement_claim_checked"
            }
        }
        try await month.take()
        await role.expectRefused("UPDATE statement SET claimed_until = 'infinity'", "23514")
        try await role.attack("UPDATE statement SET claimed_until = now() + interval '10 minutes'")

        try await role.attack("UPDATE tenant SET plan = 'scale', updated_at = '2020-01-01' WHERE id = \(role.globex)")
        let plans = try await role.owner.run(
            """
            SELECT abs(extract(epoch FROM clock_timestamp() - effective_at)) < 300 AS is_now FROM tenant_plan
            WHERE tenant_id = \(role.globex) AND plan = 'scale'
            """)
        #expect(try plans.map { try $0.get("is_now", as: Bool.self) } == [true])
    }
}
