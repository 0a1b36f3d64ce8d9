import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Get upcoming statement page")
struct GetUpcomingStatementPageTests {
    @Test("its page shows the same data, escaped, and prominently that it is preliminary")
    func page() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(from: "2026-01-01", baseFee: 49_000_000, tiers: [(1, 2_000_000), (nil, 1_000_000)])
            try await platform.append(Array(repeating: Date(), count: 3))
            _ = try await platform.ownerPool.run("UPDATE tenant SET name = '<img src=x>' WHERE slug = 'acme'")
            let page = try await platform.call("GET", "/tenants/acme/statements/upcoming/page")
            #expect(page.status == 200)
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            #expect(page.header("Cache-Control") == "no-store")
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'none'") == true)
            #expect(!page.body.contains("<img") && page.body.contains("&lt;img src=x&gt; (acme)"))
            let reported = try await platform.statement("upcoming")
            let until = try #require(reported.json["complete_until"] as? String)
            for text in [
                "<h1>Preliminary statement \(Month(Date()))</h1>", "Charges up to \(until.prefix(11))", "49.00 USD", "Logins 1 to 1",
                "2.00 USD",
                "Logins 2 to 3", "Total so far", "53.00 USD",
            ] {
                #expect(page.body.contains(text), "\(text)")
            }
            for text in ["SHA-256", "does not change", "<h1>Statement", "{{"] { #expect(!page.body.contains(text), "\(text)") }
        }
    }
}
