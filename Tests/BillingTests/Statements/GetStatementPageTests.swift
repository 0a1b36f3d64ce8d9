import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Get statement page")
struct GetStatementPageTests {
    @Test("the page shows the same data, escaped, and loads nothing")
    func page() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(from: "2026-01-01", baseFee: 49_000_000, tiers: [(1000, 5000), (nil, 4000)])
            try await platform.append([try moment("2026-01-05T00:00:00Z"), try moment("2026-01-06T00:00:00Z")])
            _ = try await platform.ownerPool.run("UPDATE tenant SET name = '<script>alert(1)</script>' WHERE slug = 'acme'")
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            let page = try await platform.statement("2026-01/page")
            #expect(page.status == 200)
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            #expect(!page.body.contains("<script"))
            #expect(page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt; (acme)"))
            for text in [
                "own, version 2", "31 days", "49.00 USD", "Logins 1 to 2", "0.005", "0.01 USD", "49.01 USD", "2026-01-01 to 2026-01-31",
            ] {
                #expect(page.body.contains(text), "\(text)")
            }
            let digest = try #require(try await platform.statement("2026-01").json["digest"] as? String)
            #expect(page.body.contains(digest))
            for scheme in ["http:", "https:"] { #expect(!page.body.contains(scheme)) }
            #expect(page.body.contains("covers 2 events"))
        }
    }

    @Test("another tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/statements/2026-01/page"
            let answer = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
            #expect(answer.problem == "not_found")
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path).problem == "not_found")
        }
    }
}
