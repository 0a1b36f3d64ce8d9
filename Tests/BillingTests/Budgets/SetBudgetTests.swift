import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Set budget")
struct SetBudgetTests {
    private static func month(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(7)) }

    private static func set(_ platform: TestPlatform, _ units: Int, _ currency: String = "USD", hard: Bool = false) async throws
        -> TestBrowser.Answer
    {
        try await platform.call(
            "PUT", "/tenants/acme/budget", key: platform.acme.api_keys[0].secret,
            ["amount_micros": units * 1_000_000, "currency": currency, "hard": hard])
    }

    @Test("a budget is set, read, changed and removed, each with an audit event")
    func life() async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("GET", "/tenants/acme/budget").status == 404)
            #expect(try await platform.call("DELETE", "/tenants/acme/budget").status == 404)
            let made = try await platform.call("PUT", "/tenants/acme/budget", ["logins": 10])
            #expect(made.status == 200)
            #expect((made.json["logins"] as? Int, made.json["hard"] as? Bool) == (10, false))
            let read = try await platform.call("GET", "/tenants/acme/budget", key: platform.acme.api_keys[0].secret)
            #expect(read.json as NSDictionary == made.json as NSDictionary)
            let current = try #require(read.json["current"] as? [String: any Sendable])
            #expect((current["logins"] as? Int, current["percent"] as? Int) == (0, 0))
            #expect(current["period"] as? String == Self.month(Date()))
            let tag = try #require(read.header("ETag"))
            let changed = try await platform.call(
                "PUT", "/tenants/acme/budget", ["logins": 20, "hard": true], headers: [("If-Match", tag)])
            #expect((changed.json["logins"] as? Int, changed.json["hard"] as? Bool) == (20, true))
            for method in ["PUT", "DELETE"] {
                let stale = try await platform.call(
                    method, "/tenants/acme/budget", method == "PUT" ? ["logins": 1] : nil, headers: [("If-Match", tag)])
                #expect(stale.status == 412)
            }
            #expect(try await platform.call("GET", "/tenants/acme/budget").json["logins"] as? Int == 20)
            // A new budget without `hard` is not hard.
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 20]).json["hard"] as? Bool == false)
            #expect(try await platform.call("DELETE", "/tenants/acme/budget").status == 204)
            #expect(try await platform.call("GET", "/tenants/acme/budget").status == 404)
            func trail(_ action: String) async throws -> Int {
                try await platform.ownerPool.run("SELECT FROM audit_event WHERE action = \(action)").count
            }
            #expect(try await trail("setBudget") == 3)
            #expect(try await trail("deleteBudget") == 1)
        }
    }

    @Test("invalid values, a key without the scope and another tenant are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (body, field) in [
                ([:], "logins"), (["logins": 0], "logins"), (["logins": "10"], "logins"), (["logins": 1_000_000_001], "logins"),
                (["logins": 1, "hard": "yes"], "hard"), (["logins": 1, "soft": true], "soft"),
            ] as [([String: any Sendable], String)] {
                let answer = try await platform.call("PUT", "/tenants/acme/budget", body)
                #expect(answer.status == 400)
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field])
            }
            for (method, body) in [("GET", nil), ("PUT", ["logins": 1]), ("DELETE", nil)] as [(String, [String: any Sendable]?)] {
                #expect(
                    try await platform.call(method, "/tenants/acme/budget", key: platform.acme.api_keys[1].secret, body).status == 403)
                #expect(
                    try await platform.call(method, "/tenants/acme/budget", key: platform.globex.api_keys[0].secret, body).status == 404)
            }
        }
    }

    @Test("the tenant's own key sets a budget in money and sees its use, and a budget in logins replaces it and vice versa")
    func amount() async throws {
        try await TestPlatform.run { platform in
            // By the plan's price, which the tenant's own transactions do not see.
            try await platform.append(Array(repeating: Date(), count: 200))
            let made = try await Self.set(platform, 2)
            #expect(made.status == 200, "\(made.body)")
            #expect(made.json["amount_micros"] as? Int == 2_000_000 && made.json["amount"] as? String == "2.00")
            #expect(made.json["currency"] as? String == "USD" && made.json["logins"] == nil && made.json["hard"] as? Bool == false)
            let current = try #require(made.json["current"] as? [String: any Sendable])
            #expect(current["amount_micros"] as? Int == 1_000_000 && current["amount"] as? String == "1.00")
            #expect(current["percent"] as? Int == 50 && current["logins"] == nil)
            let read = try await platform.call("GET", "/tenants/acme/budget", key: platform.acme.api_keys[0].secret)
            #expect(read.json as NSDictionary == made.json as NSDictionary)
            let totals = try await platform.call("GET", "/tenants/acme/statements/upcoming").json["totals"] as? [[String: any Sendable]]
            #expect(totals?.first?["amount_micros"] as? Int == current["amount_micros"] as? Int)

            let logins = try await platform.call("PUT", "/tenants/acme/budget", ["logins": 10])
            #expect(logins.json["logins"] as? Int == 10 && logins.json["currency"] == nil && logins.json["amount"] == nil)
            #expect(try await Self.set(platform, 5, "JPY").json["amount"] as? String == "5")
            #expect(try await platform.call("DELETE", "/tenants/acme/budget").status == 204)
            let trail = try await platform.ownerPool.run("SELECT before FROM audit_event WHERE action = 'deleteBudget'")
            #expect(String(decoding: try trail[0].get("before", as: JSON.self).bytes, as: UTF8.self).contains("\"JPY\""))
        }
    }

    @Test("a missing, double, partial or invalid limit is refused with the name of the field")
    func invalidAmounts() async throws {
        try await TestPlatform.run { platform in
            for (body, field) in [
                (["hard": true], "logins"), (["logins": 5, "amount_micros": 5, "currency": "USD"], "logins"),
                (["logins": 5, "currency": "USD"], "logins"), (["amount_micros": 5], "currency"), (["currency": "USD"], "amount_micros"),
                (["amount_micros": 5, "currency": NSNull()], "currency"), (["amount_micros": 5, "currency": "XXX"], "currency"),
                (["amount_micros": 5, "currency": "usd"], "currency"), (["amount_micros": 0, "currency": "USD"], "amount_micros"),
                (["amount_micros": 1_000_000_000_000_001, "currency": "USD"], "amount_micros"),
                (["amount_micros": 1.5, "currency": "USD"], "amount_micros"),
            ] as [([String: any Sendable], String)] {
                let answer = try await platform.call("PUT", "/tenants/acme/budget", body)
                #expect(answer.status == 400, "\(body)")
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field], "\(body): \(answer.body)")
            }
            #expect(try await platform.call("GET", "/tenants/acme/budget").status == 404)
            // The schema refuses them too.
            let acme = ID<Tenant>(platform.acme.id)!
            for values in ["1, 1, 'USD'", "NULL, NULL, NULL", "NULL, 1, NULL", "1, NULL, 'USD'"] {
                await #expect(throws: DatabaseError.self, "\(values)") {
                    try await platform.ownerPool.run(
                        SQL(
                            unsafe: """
                                INSERT INTO budget (tenant_id, logins, amount_micros, currency, created_at, updated_at)
                                VALUES ('\(acme.uuid)', \(values), now(), now())
                                """))
                }
            }
        }
    }
}
