import Foundation
import Postgres
import TestSupport
import Testing

/// Attacks on the amounts of statements with the server's database role: silent sign-ins, corrections and fees that are too high or too low.
@Suite("The server's database role and amounts")
struct ServerRoleAmountTests {
    private let month: StolenMonth
    private var role: StolenRole { month.role }

    init() async throws {
        month = try await StolenMonth()
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
        try await month.take()
        @Sendable func bill(_ taken: inout StolenMonth.Taken) {
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
        let lies: [(String, @Sendable (inout StolenMonth.Taken) -> Void)] = [
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
            await month.expectOpen(lie) {
                bill(&$0)
                change(&$0)
            }
        }
        try await month.close(bill)
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
        try await month.take()
        @Sendable func late(_ taken: inout StolenMonth.Taken) {
            (taken.events, taken.line["kind"], taken.line["quantity"]) = (1, "correction", 1)
            (taken.line["exact_micros"], taken.line["amount_micros"]) = (5000, 10000)
            taken.line["service_period"] = "PRIOR_FIRST"
            (taken.line["first_day"], taken.line["last_day"]) = ("PRIOR_FIRST", "PRIOR_LAST")
        }
        let lies: [(String, @Sendable (inout StolenMonth.Taken) -> Void)] = [
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
            await month.expectOpen(lie) {
                late(&$0)
                change(&$0)
            }
        }
        try await month.close(late)
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
        try await month.take()
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
        let empty: @Sendable (inout StolenMonth.Taken) -> Void = {
            ($0.events, $0.digest, $0.terms["rate_card_id"]) = (0, "sha256('')", card.uuidString)
        }
        let tens = "generate_series(0, 20, 10)"
        let lies: [(String, @Sendable (inout StolenMonth.Taken) -> Void)] = [
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
            await month.expectOpen(lie) {
                empty(&$0)
                change(&$0)
            }
        }
        // The right values: the base fee, and the rest of the minimum.
        let truth = "\(lines("base_fee", amount: 100_000_000)) || \(lines("minimum", amount: 50_000_000))"
        try await month.close {
            empty(&$0)
            $0.otherLines = truth
        }
        let closed = try await role.owner.run("SELECT sum(amount_micros)::bigint AS total FROM statement_line")
        #expect(try closed[0].get("total", as: Int.self) == 150_000_000)
    }
}
