import Foundation
import Postgres
import TestSupport
import Testing

/// The last month of a tenant, which an attacker with the server's database role claims and closes.
struct StolenMonth {
    let role: StolenRole
    /// The end of the attacker's claim to a month, as an SQL literal. An honest claim lasts minutes.
    let claim = "'\(Date(timeIntervalSinceNow: 3600).formatted(.iso8601))'"

    init() async throws {
        role = try await StolenRole()
    }

    /// The last month, with 3 logins, taken by the attacker, and its closing.
    struct Taken {
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
    func take(
        _ month: String = "(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date", until end: String? = nil
    )
        async throws
    {
        let taken = try await role.attack(
            SQL(unsafe: "SELECT taken_id FROM take_statement('\(role.acme)', \(month), '2000-01-01', \(end ?? claim))"))
        #expect(taken.count == 1)
    }

    /// Expects that the database refuses to close the month in this way.
    func expectOpen(_ lie: String, _ change: (inout Taken) -> Void) async {
        await #expect("\(lie)") { try await close(change) } throws: { ($0 as? DatabaseError)?.constraint == "statement_checked" }
    }

    func close(_ change: (inout Taken) -> Void = { _ in }, claim: String? = nil, as tenant: UUID? = nil) async throws {
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
}
