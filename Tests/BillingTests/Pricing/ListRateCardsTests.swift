import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@Suite("List rate cards")
struct ListRateCardsTests {
    @Test("by default every plan costs half a cent per login, starting in 2000")
    func byDefault() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("GET", "/rate-cards")
            let cards = try #require(answer.json["data"] as? [[String: any Sendable]])
            #expect(cards.map { $0["plan"] as? String } == ["free", "scale", "enterprise"])
            for card in cards {
                #expect(card["currency"] as? String == "USD" && card["version"] as? Int == 1)
                #expect(card["effective_from"] as? String == "2000-01-01")
                #expect(["base_fee_micros", "included_logins", "minimum_micros"].allSatisfy { card[$0] as? Int == 0 })
                let tiers = try #require(card["tiers"] as? [[String: any Sendable]])
                #expect(tiers.count == 1 && tiers[0]["unit_price_micros"] as? Int == 5000 && tiers[0]["up_to"] == nil)
                #expect(card["tenant_id"] == nil && card["follows_plan"] == nil)
            }
        }
    }

    @Test("the list of rate cards has pages")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<2 { _ = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard) }
            var (seen, path) = ([String](), "/rate-cards?limit=2")
            while true {
                let page = try await platform.call("GET", path)
                let data = try #require(page.json["data"] as? [[String: any Sendable]])
                seen += data.map { "\($0["plan"] as? String ?? "") \($0["version"] as? Int ?? 0)" }
                guard let after = (page.json["list_metadata"] as? [String: any Sendable])?["after"] as? String else { break }
                path = "/rate-cards?limit=2&after=\(after)"
            }
            #expect(seen == ["scale 3", "scale 2", "free 1", "scale 1", "enterprise 1"])
        }
    }

    @Test("a tenant's key, a missing scope and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            #expect(try await platform.call("GET", "/rate-cards", key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", "/rate-cards", key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", "/rate-cards?tenant=acme").status == 400)
        }
    }
}
