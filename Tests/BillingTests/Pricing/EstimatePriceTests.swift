import Foundation
import Server
import TestSupport
import Testing

@Suite("Estimate price")
struct EstimatePriceTests {
    private static func estimate(
        _ platform: TestPlatform, _ body: [String: any Sendable], key: String? = nil
    ) async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/pricing/estimate", key: key, body)
    }

    @Test("by default a login costs half a cent, and no other price follows")
    func byDefault() async throws {
        try await TestPlatform.run { platform in
            let answer = try await Self.estimate(platform, ["logins": 250_000, "plan": "scale"])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json["total"] as? String == "1250.00" && answer.json["total_micros"] as? Int == 1_250_000_000)
            #expect(answer.json["currency"] as? String == "USD" && answer.json["plan"] as? String == "scale")
            #expect(answer.json["next_tier"] == nil && answer.json["tenant_id"] == nil)
            let lines = try #require(answer.json["lines"] as? [[String: any Sendable]])
            #expect(lines.count == 1)
            #expect(lines[0]["description"] as? String == "Logins 1 to 250,000" && lines[0]["unit_price"] as? String == "0.005")
            let none = try await Self.estimate(platform, ["logins": 0])
            #expect(none.json["total"] as? String == "0.00" && none.json["plan"] as? String == "free")
        }
    }

    @Test("silent sign-ins are a line with the price of the card, and the next tier includes them")
    func silentLogins() async throws {
        try await TestPlatform.run { platform in
            let card: [String: any Sendable] = [
                "plan": "scale", "effective_from": "2027-01-01", "currency": "USD", "silent_login_micros": 1500,
                "tiers": [["up_to": 1000, "unit_price_micros": 5000], ["unit_price_micros": 4000]],
            ]
            #expect(try await platform.call("POST", "/rate-cards", card).status == 201)
            let body: [String: any Sendable] = ["logins": 1000, "silent_logins": 2001, "plan": "scale", "on": "2027-01-31"]
            let answer = try await Self.estimate(platform, body)
            let lines = try #require(answer.json["lines"] as? [[String: any Sendable]])
            #expect(lines.map { $0["kind"] as? String } == ["logins", "silent_logins"])
            #expect(lines[1]["quantity"] as? Int == 2001 && lines[1]["exact_micros"] as? Int == 3_001_500)
            #expect(answer.json["total"] as? String == "8.00" && answer.json["silent_logins"] as? Int == 2001)
            let next = try #require(answer.json["next_tier"] as? [String: any Sendable])
            #expect(next["total"] as? String == "8.00" && next["change"] as? String == "0.00")
            // Without a price, and without the number.
            let free = try await Self.estimate(platform, ["logins": 1000, "silent_logins": 2001, "plan": "free"])
            #expect(free.json["total"] as? String == "5.00" && (free.json["lines"] as? [Any])?.count == 2)
            let none = try await Self.estimate(platform, ["logins": 1000, "plan": "free"])
            #expect(none.json["silent_logins"] as? Int == 0 && (none.json["lines"] as? [Any])?.count == 1)
            #expect(try await Self.estimate(platform, ["logins": 1, "silent_logins": -1]).status == 400)

            let page = try await platform.call(
                "GET", "/pricing/estimate/page?logins=1000&silent_logins=2001&plan=scale&on=2027-01-31")
            #expect(page.body.contains("<dt>Silent sign-ins</dt><dd>2,001 in a whole month</dd>"))
            #expect(page.body.contains("A silent sign-in costs 0.0015 USD."))
            let freePage = try await platform.call("GET", "/pricing/estimate/page?logins=1000&plan=free")
            #expect(freePage.body.contains("Refreshes and sessions are free.") && !freePage.body.contains("ilent sign-in"))
        }
    }

    @Test("all lines are present, add up to the total, and the next tier contains the change")
    func lines() async throws {
        try await TestPlatform.run { platform in
            let card: [String: any Sendable] = [
                "plan": "scale", "effective_from": "2027-01-01", "currency": "KWD", "base_fee_micros": 49_000_000, "included_logins": 1000,
                "tiers": [
                    ["up_to": 100_000, "unit_price_micros": 1500], ["up_to": 1_000_000, "unit_price_micros": 1200],
                    ["unit_price_micros": 900],
                ],
            ]
            let id = try #require(try await platform.call("POST", "/rate-cards", card).json["id"] as? String)
            let answer = try await Self.estimate(platform, ["logins": 250_001, "plan": "scale", "on": "2027-01-31"])
            let lines = try #require(answer.json["lines"] as? [[String: any Sendable]])
            #expect(lines.map { $0["kind"] as? String } == ["base_fee", "included", "logins", "logins"])
            #expect(lines.map { $0["quantity"] as? Int } == [1, 1000, 100_000, 149_001])
            #expect(lines.map { $0["amount"] as? String } == ["49.000", "0.000", "150.000", "178.801"])
            #expect(lines[3]["exact_micros"] as? Int == 178_801_200)
            #expect(lines[3]["from"] as? Int == 100_001 && lines[3]["to"] as? Int == 249_001)
            #expect(lines.reduce(0) { $0 + ($1["amount_micros"] as? Int ?? 0) } == answer.json["total_micros"] as? Int)
            #expect(answer.json["total"] as? String == "377.801")
            #expect((answer.json["rate_card"] as? [String: any Sendable])?["id"] as? String == id)
            let next = try #require(answer.json["next_tier"] as? [String: any Sendable])
            #expect(next["from_login"] as? Int == 1_001_001 && next["additional_logins"] as? Int == 751_000)
            #expect(next["unit_price"] as? String == "0.0009")
            // 49 + 150 + 900 000 · 0.0012 + 0.0009, each line rounded.
            #expect(next["total"] as? String == "1279.001" && next["change"] as? String == "901.200")
            // Today, another card is in effect.
            let today = try await Self.estimate(platform, ["logins": 1000, "plan": "scale", "on": "2026-12-31"])
            #expect(today.json["total"] as? String == "5.00")
        }
    }

    @Test("a tenant's key gets estimates for its tenant or for a plan, never for another tenant")
    func whose() async throws {
        try await TestPlatform.run { platform in
            let own: [String: any Sendable] = [
                "effective_from": "2000-01-01", "currency": "JPY", "tiers": [["unit_price_micros": 500_000]],
            ]
            #expect(try await platform.call("POST", "/tenants/acme/rate-cards", own).status == 201)
            let (acme, globex) = (platform.acme.api_keys[0].secret, platform.globex.api_keys[0].secret)
            for body in [["logins": 5], ["logins": 5, "tenant": "acme"], ["logins": 5, "tenant": platform.acme.id]]
                as [[String: any Sendable]]
            {
                let answer = try await Self.estimate(platform, body, key: acme)
                // 2.5 yen are rounded to the even yen.
                #expect(answer.json["total"] as? String == "2" && answer.json["tenant_id"] as? String == platform.acme.id)
                #expect(answer.json["plan"] as? String == "enterprise")
            }
            let list = try await Self.estimate(platform, ["logins": 1000, "plan": "enterprise"], key: acme)
            #expect(list.json["total"] as? String == "5.00")
            #expect(try await Self.estimate(platform, ["logins": 1000, "tenant": "acme"]).json["total"] as? String == "500")

            var reported: Set<String> = []
            for name in ["acme", platform.acme.id, "nobody", "tenant_00000000000000000000000000", "NO SLUG"] {
                let answer = try await Self.estimate(platform, ["logins": 5, "tenant": name], key: globex)
                #expect(answer.status == 400)
                let errors = try #require(answer.json["errors"] as? [[String: String]])
                reported.formUnion(errors.map { "\($0["field"] ?? ""): \($0["detail"] ?? "")" })
            }
            #expect(reported.count == 1)
        }
    }

    @Test("invalid members are refused with the name of the field")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (body, field) in [
                ([:], "logins"), (["logins": -1], "logins"), (["logins": 1_000_000_001], "logins"), (["logins": "5"], "logins"),
                (["logins": 5, "plan": "gold"], "plan"), (["logins": 5, "plan": "free", "tenant": "acme"], "plan"),
                (["logins": 5, "tenant": "nobody"], "tenant"), (["logins": 5, "on": "tomorrow"], "on"),
                (["logins": 5, "users": 5], "users"),
            ] as [([String: any Sendable], String)] {
                let answer = try await Self.estimate(platform, body)
                #expect(answer.status == 400, "\(body)")
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field], "\(body)")
            }
            let lacking = try await Self.estimate(platform, ["logins": 5], key: platform.acme.api_keys[1].secret)
            #expect(lacking.status == 403)
        }
    }
}
