import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Get estimate page")
struct GetEstimatePageTests {
    @Test("the page for keys has the numbers of its tenant or the named one, with the name escaped")
    func forKeys() async throws {
        try await TestPlatform.run { platform in
            try await platform.rateCard(
                from: "2026-01-01", currency: "EUR", baseFee: 1_000_000, mode: .volume, tiers: [(100, 777_000), (nil, 1000)])
            _ = try await platform.ownerPool.run("UPDATE tenant SET name = 'A & <b>' WHERE slug = 'acme'")
            let own = platform.acme.api_keys[0].secret
            for (query, body, key) in [
                ("logins=100", ["logins": 100], own), ("logins=50&tenant=acme", ["logins": 50, "tenant": "acme"], nil),
                ("logins=50&plan=scale", ["logins": 50, "plan": "scale"], own), ("logins=7", ["logins": 7], nil),
                ("logins=50&tenant=acme&on=2025-12-31", ["logins": 50, "tenant": "acme", "on": "2025-12-31"], nil),
            ] as [(String, [String: any Sendable], String?)] {
                let page = try await platform.call("GET", "/pricing/estimate/page?\(query)", key: key)
                try TestPlatform.isShown(page, try await platform.call("POST", "/pricing/estimate", key: key, body))
                #expect(page.header("Cache-Control") == "no-store" && !page.body.contains("<form"))
                #expect(page.header("Content-Security-Policy")?.contains("form-action 'none'") == true)
            }
            let page = try await platform.call("GET", "/pricing/estimate/page?logins=100", key: own)
            #expect(page.body.contains("A &amp; &lt;b&gt; (acme)") && page.body.contains("the tenant&#39;s own rate card"))
            let globex = platform.globex.api_keys[0].secret
            for (query, field) in [
                ("", "logins"), ("?logins=x", "logins"), ("?logins=1000000001", "logins"), ("?logins=5&plan=gold", "plan"),
                ("?logins=5&plan=free&tenant=globex", "plan"), ("?logins=5&tenant=acme", "tenant"), ("?logins=5&on=1999-01-01", "on"),
                ("?logins=5&on=tomorrow", "on"), ("?logins=5&users=5", "users"),
            ] {
                let refused = try await platform.call("GET", "/pricing/estimate/page\(query)", key: globex)
                #expect(refused.status == 400, "\(query)")
                #expect((refused.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field], "\(query): \(refused.body)")
            }
            #expect(try await platform.call("GET", "/pricing/estimate/page?logins=5", key: platform.acme.api_keys[1].secret).status == 403)
        }
    }
}
