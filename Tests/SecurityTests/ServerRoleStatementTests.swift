import Foundation
import Postgres
import TestSupport
import Testing

/// Attacks on statements with the server's database role: amounts that are too high or too low, and statements that
/// are too early or never come.
@Suite("The server's database role and statements")
struct ServerRoleStatementTests {
    private let role: StolenRole
    /// The end of the attacker's claim to a month, as an SQL literal. An honest claim lasts minutes.
    private let claim = "'\(Date(timeIntervalSinceNow: 3600).formatted(.iso8601))'"

    init() async throws {
        role = try await StolenRole()
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

    /// The last month, with 3 logins, taken by the attacker, and its closing.
    private struct Taken {
        var events = 3
        var digest = """
            sha256(convert_to((SELECT string_agg(to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || E'+00\t' || concat_ws(E'\t',
                id, application_id, user_id, kind, connection) || E'\n', '' ORDER BY occurred_at, id) FROM usage_event), 'UTF8'))
            """
        /// The arguments that replace `terms` and `lines`.
        var otherTerms, otherLines: String?
        /// Further lines.
        var more: [[String: any Sendable]] = []
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

    /// Takes the last month, or another one.
    private func take(
        _ month: String = "(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date", until end: String? = nil
    )
        async throws
    {
        let taken = try await role.attack(
            SQL(unsafe: "SELECT taken_id FROM take_statement('\(role.acme)', \(month), '2000-01-01', \(end ?? claim))"))
        #expect(taken.count == 1)
    }

    /// Returns whether the database refuses to close the month in this way.
    private func expectOpen(_ lie: String, _ change: (inout Taken) -> Void) async {
        await #expect("\(lie)") { try await close(change) } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
    }

    private func close(_ change: (inout Taken) -> Void = { _ in }, claim: String? = nil, as tenant: UUID? = nil) async throws {
        var taken = Taken()
        change(&taken)
        let days = try await role.owner.run(
            """
            SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date::text AS first,
                (date_trunc('month', now() AT TIME ZONE 'UTC')::date - 1)::text AS last,
                (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 months')::date::text AS prior,
                ((date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date - 1)::text AS prior_last
            """)[0]
        let (first, last) = (try days.get("first", as: String.self), try days.get("last", as: String.self))
        let (prior, priorLast) = (try days.get("prior", as: String.self), try days.get("prior_last", as: String.self))
        func json(_ rows: [[String: any Sendable]]) throws -> String {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: rows.filter { !$0.isEmpty }), as: UTF8.self)
                .replacing("PRIOR_FIRST", with: prior).replacing("PRIOR_LAST", with: priorLast)
            return "'" + text.replacing("FIRST", with: first).replacing("LAST", with: last) + "'"
        }
        try await role.attack(
            SQL(
                unsafe: """
                    SELECT close_statement('\(role.acme)', '\(first)', \(claim ?? self.claim), \(taken.events), \(taken.digest), now(),
                        \(try taken.otherTerms ?? json([taken.terms])), \(try taken.otherLines ?? json([taken.line] + taken.more)))
                    """), as: tenant)
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
        await #expect { try await close() } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
        try await take()

        let ownCard = UUID()
        _ = try await role.owner.run(
            """
            INSERT INTO rate_card SELECT \(role.globex), \(ownCard), NULL, 1, effective_from, false, currency, 0, 0, 0, tier_mode, tiers, now()
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
        for (lie, change) in lies { await expectOpen(lie, change) }
        await #expect("a claim that another process has") { try await close(claim: "'2099-01-01'") } throws: {
            ($0 as? DatabaseError)?.constraint == "statement_checked"
        }
        await #expect("in a tenant's transaction") { try await close(as: role.acme) } throws: {
            ($0 as? DatabaseError)?.sqlState == "42501"
        }
        #expect(try await role.owner.run("SELECT FROM statement_line").isEmpty)

        // The right values.
        try await close()
        let closed = try await role.owner.run(
            "SELECT state, events, abs(extract(epoch FROM clock_timestamp() - closed_at)) < 300 AS is_now FROM statement")[0]
        #expect(try closed.get("state", as: String.self) == "closed")
        #expect(try closed.get("is_now", as: Bool.self))
        #expect(try await role.owner.run("SELECT FROM statement_line WHERE position = 1 AND tenant_id = \(role.acme)").count == 1)
        await #expect("twice") { try await close() } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
    }

    @Test("silent sign-ins are in lines of their own, at the price of the rate card")
    func silentLoginsBilledFalsely() async throws {
        let card = UUID()
        _ = try await role.owner.run([
            """
            INSERT INTO rate_card (tenant_id, id, version, effective_from, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, silent_login_micros, created_at)
            SELECT \(role.acme), \(card), 1, '2000-01-01', 'USD', 0, 0, 0, tier_mode, tiers, 1000, now() FROM rate_card LIMIT 1
            """,
            // 3 logins and 2 silent sign-ins of the last month, and a late one of the month before.
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT (this - n * interval '1 day' - CASE WHEN n = 6 THEN interval '1 month' ELSE '0' END) AT TIME ZONE 'UTC',
                (this - interval '1 month')::date, \(role.acme), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
                CASE WHEN n > 3 THEN 'silent_login' ELSE 'login' END, 'own'
            FROM generate_series(1, 6) AS n, date_trunc('month', now() AT TIME ZONE 'UTC') AS this
            """,
        ])
        try await take()
        @Sendable func bill(_ taken: inout Taken) {
            taken.events = 6
            (taken.terms["rate_card_owner"], taken.terms["rate_card_id"]) = (role.acme.uuidString, card.uuidString)
            taken.line["rate_card_id"] = card.uuidString
            let silent = taken.line.merging(
                ["kind": "silent_logins", "quantity": 2, "unit_price_micros": 1000, "exact_micros": 2000, "amount_micros": 0]
            ) { $1 }
            let late = silent.merging(
                [
                    "kind": "silent_correction", "quantity": 1, "exact_micros": 1000, "service_period": "PRIOR_FIRST",
                    "first_day": "PRIOR_FIRST", "last_day": "PRIOR_LAST",
                ]
            ) { $1 }
            taken.more = [silent, late]
        }
        let lies: [(String, @Sendable (inout Taken) -> Void)] = [
            (
                "silent sign-ins as logins",
                {
                    ($0.line["quantity"], $0.line["exact_micros"], $0.line["amount_micros"]) = (5, 25000, 20000)
                    $0.more.removeFirst()
                }
            ),
            ("fewer silent sign-ins", { ($0.more[0]["quantity"], $0.more[0]["exact_micros"]) = (1, 1000) }),
            ("no late one", { $0.more.removeLast() }),
            (
                "a late one as a timely one",
                {
                    ($0.more[0]["quantity"], $0.more[0]["exact_micros"]) = (3, 3000)
                    $0.more.removeLast()
                }
            ),
            ("another price", { ($0.more[0]["unit_price_micros"], $0.more[0]["exact_micros"]) = (2000, 4000) }),
            ("an amount beyond the rounding to a coin", { $0.more[0]["amount_micros"] = 20000 }),
            (
                "a line for each",
                {
                    ($0.more[0]["quantity"], $0.more[0]["exact_micros"]) = (1, 1000)
                    $0.more.append($0.more[0])
                }
            ),
            ("an expensive late one", { ($0.more[1]["exact_micros"], $0.more[1]["amount_micros"]) = (9_000_000, 9_000_000) }),
            (
                "a correction without a sign-in",
                {
                    var line = $0.more[1]
                    (line["quantity"], line["exact_micros"], line["amount_micros"]) = (0, 1_000_000, 1_000_000)
                    $0.more.append(line)
                }
            ),
        ]
        for (lie, change) in lies {
            await expectOpen(lie) {
                bill(&$0)
                change(&$0)
            }
        }
        try await close(bill)
        #expect(try await role.owner.run("SELECT FROM statement_line").count == 3)
    }

    @Test("a correction has the late logins of its month, and costs at most their price")
    func correctedFalsely() async throws {
        _ = try await role.owner.run(
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT (month - interval '1 day') AT TIME ZONE 'UTC', month::date, \(role.acme), gen_random_uuid(), gen_random_uuid(),
                gen_random_uuid(), 'login', 'own'
            FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month' AS month) AS last
            """)
        try await take()
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
            (
                "many corrections without a login",
                {
                    var line = $0.line
                    (line["quantity"], line["exact_micros"], line["amount_micros"]) = (0, 3_000_000, 3_000_000)
                    $0.more = Array(repeating: line, count: 1000)
                }
            ),
            ("two corrections for the same days", { ($0.line["quantity"], $0.more) = (0, [$0.line]) }),
            ("a credit", { ($0.line["exact_micros"], $0.line["amount_micros"]) = (-1_000_000_000, -1_000_000_000) }),
        ]
        for (lie, change) in lies {
            await expectOpen(lie) {
                late(&$0)
                change(&$0)
            }
        }
        try await close(late)
        #expect(try await role.owner.run("SELECT FROM statement WHERE state = 'closed'").count == 1)
    }

    @Test("a base fee and a minimum cost at most their share of the month, in any number of lines")
    func feesFalsely() async throws {
        let card = UUID()
        _ = try await role.owner.run(
            """
            INSERT INTO rate_card (tenant_id, id, plan, version, effective_from, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, created_at)
            SELECT tenant_id, \(card), plan, 2, effective_from, currency, 100000000, 0, 150000000, tier_mode, tiers, now()
            FROM rate_card WHERE id = '00000000-0000-7000-8000-000000000003'
            """)
        try await take()
        // Lines of the month, by the rate card: one of each kind, or one for each of many days.
        func lines(_ kinds: String, amount: Int, _ days: String = "generate_series(0, 0)", last: String = "last", price: String? = nil)
            -> String
        {
            """
            (SELECT jsonb_agg(jsonb_build_object('kind', kind, 'service_period', first, 'first_day', first + n, 'last_day', \(last),
                'plan', 'free', 'rate_card_id', '\(card)', 'rate_card_version', 2, 'description', 'x', 'quantity', 1,
                'unit_price_micros', \(price ?? "CASE kind WHEN 'minimum' THEN 150000000 ELSE 100000000 END"), 'currency', 'USD',
                'exact_micros', \(amount), 'amount_micros', \(amount)))
            FROM (SELECT first, (first + interval '1 month')::date - 1 AS last
                FROM (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date AS first) AS month) AS days,
                unnest('{\(kinds)}'::text[]) AS kind, \(days) AS n)
            """
        }
        func months(_ days: String) -> String {
            """
            (SELECT jsonb_agg(jsonb_build_object('first_day', first + n, 'last_day', LEAST(first + n + 9, (first + interval '1 month')::date - 1),
                'rate_card_owner', '00000000-0000-0000-0000-000000000000', 'rate_card_id', '\(card)'))
            FROM (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date AS first) AS month, \(days) AS n)
            """
        }
        let empty: @Sendable (inout Taken) -> Void = {
            ($0.events, $0.digest, $0.terms["rate_card_id"]) = (0, "sha256('')", card.uuidString)
        }
        let tens = "generate_series(0, 20, 10)"
        let lies: [(String, @Sendable (inout Taken) -> Void)] = [
            (
                "a base fee for each day",
                { [line = lines("base_fee", amount: 100_000_000, "generate_series(0, 27)")] in $0.otherLines = line }
            ),
            (
                "a minimum for each day",
                { [line = lines("minimum", amount: 150_000_000, "generate_series(0, 27)")] in $0.otherLines = line }
            ),
            (
                "the whole base fee for each of three terms",
                { [terms = months(tens), line = lines("base_fee", amount: 100_000_000, tens, last: "LEAST(first + n + 9, last)")] in
                    ($0.otherTerms, $0.otherLines) = (terms, line)
                }
            ),
            (
                "the whole minimum for each of three terms",
                { [terms = months(tens), line = lines("minimum", amount: 150_000_000, tens, last: "LEAST(first + n + 9, last)")] in
                    ($0.otherTerms, $0.otherLines) = (terms, line)
                }
            ),
            ("the whole minimum beside the base fee", { [line = lines("base_fee,minimum", amount: 100_000_000)] in $0.otherLines = line }),
        ]
        for (lie, change) in lies {
            await expectOpen(lie) {
                empty(&$0)
                change(&$0)
            }
        }
        // The right values: the base fee, and the rest of the minimum.
        let truth = "\(lines("base_fee", amount: 100_000_000)) || \(lines("minimum", amount: 50_000_000))"
        try await close {
            empty(&$0)
            $0.otherLines = truth
        }
        let closed = try await role.owner.run("SELECT sum(amount_micros)::bigint AS total FROM statement_line")
        #expect(try closed[0].get("total", as: Int.self) == 150_000_000)
    }

    @Test("a month is not claimed permanently, nor before the tenant had a plan, and no plan begins in the past")
    func claimedFalsely() async throws {
        for (month, end) in [
            ("(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date", "'infinity'"), ("'2020-01-01'::date", claim),
        ] {
            await #expect("\(month) until \(end)") { try await take(month, until: end) } throws: {
                ($0 as? DatabaseError)?.constraint == "statement_claim_checked"
            }
        }
        try await take()
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
