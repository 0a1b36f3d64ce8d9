import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// The calculator as a public page.
@Suite("Get pricing page")
struct GetPricingPageTests {
    private static func get(_ platform: TestPlatform, _ query: String = "") async throws -> TestBrowser.Answer {
        try await TestBrowser(platform).get("\(TestPlatform.publicURL)/pricing\(query)")
    }

    @Test("the public page exists only if the platform enables it")
    func off() async throws {
        try await TestPlatform.run { platform in
            for query in ["", "?logins=5"] {
                let answer = try await Self.get(platform, query)
                #expect(answer.status == 404)
                #expect(answer.header("Content-Type") == "application/problem+json")
                #expect(!answer.body.contains("0.005"))
            }
        }
    }

    @Test("the page has the same numbers as estimatePrice, for any prices and logins")
    func figures() async throws {
        try await TestPlatform.run({ $0.showsPricing = true }) { platform in
            try await platform.rateCard(
                .scale, from: "2026-01-01", currency: "KWD", baseFee: 49_000_000, included: 1000,
                tiers: [(100_000, 1500), (1_000_000, 1200), (nil, 900)])
            try await platform.rateCard(
                .enterprise, from: "2026-01-01", currency: "JPY", minimum: 500_000_000, mode: .volume,
                tiers: [(300_000, 5_500_000), (nil, 4_000_000)])
            for plan in ["free", "scale", "enterprise"] {
                for logins in [0, 1, 999, 1000, 1001, 250_000, 300_000, 1_001_001, 1_000_000_000] {
                    let page = try await Self.get(platform, "?logins=\(logins)&plan=\(plan)")
                    try TestPlatform.isShown(page, try await platform.call("POST", "/pricing/estimate", ["logins": logins, "plan": plan]))
                    #expect(page.body.contains("<option selected>\(plan)</option>") && page.body.contains("value=\"\(logins)\""))
                }
            }
        }
    }

    @Test("the page needs no script, loads nothing, sends its form only to this server, and can be cached for a minute")
    func manner() async throws {
        try await TestPlatform.run({ $0.showsPricing = true }) { platform in
            let form = try await Self.get(platform)
            #expect(form.status == 200)
            #expect(form.body.contains("<form method=\"get\" action=\"/pricing\">") && !form.body.contains("<table>"))
            let page = try await Self.get(platform, "?logins=5&plan=scale&utm_source=elsewhere")
            #expect(page.body.contains("<table>") && page.body.contains("<form"))
            for answer in [form, page] {
                #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
                let policy = try #require(answer.header("Content-Security-Policy"))
                for part in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
                    #expect(policy.contains(part))
                }
                #expect(!policy.contains("script"))
                #expect(answer.header("Cache-Control") == "public, max-age=60")
                #expect(answer.header("Set-Cookie") == nil)
                for text in ["<script", "http:", "https:", "{{"] { #expect(!answer.body.contains(text), "\(text)") }
            }
        }
    }

    @Test(
        "an invalid number or plan is explained and not repeated",
        arguments: [
            "logins=-1", "logins=1000000001", "logins=99999999999999999999999", "logins=1e3", "logins=%2B5", "logins=5.5", "logins=0x10",
            "logins=%EF%BC%95", "logins=five", "logins=5%00", "logins=%3Cscript%3Ealert(1)%3C/script%3E", "logins=%22%3E%3Cscript%3E",
            "logins=5%22%20autofocus%20onfocus=%22alert(1)", "plan=gold", "plan=%3Cscript%3E", "plan=%22onmouseover%3D%22x",
            "plan=free%27%3E%3Csvg%20onload%3Dx%3E&logins=5", "logins=%", "logins=1&logins=2", "logins=%ff", "plan=FREE",
        ])
    func refused(query: String) async throws {
        try await TestPlatform.run({ $0.showsPricing = true }) { platform in
            let answer = try await Self.get(platform, "?\(query)")
            #expect(answer.status == 400)
            #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.body.contains("role=\"alert\"") && answer.body.contains("<form") && !answer.body.contains("<table>"))
            // Except for the page's own words, it is the same for every input.
            for text in ["<script", "<svg", "alert(1)", "onfocus", "onmouseover", "gold", "five", "9999999999", "0x10"] {
                #expect(!answer.body.contains(text), "\(text)")
            }
        }
    }

    @Test(
        "an empty field and an unknown parameter are ignored", arguments: ["?", "?logins=&plan=scale", "?x=%3Cscript%3E", "?plan="])
    func empty(query: String) async throws {
        try await TestPlatform.run({ $0.showsPricing = true }) { platform in
            let answer = try await Self.get(platform, query)
            #expect(answer.status == 200 && !answer.body.contains("<table>") && !answer.body.contains("<script"))
        }
    }

    @Test("the public page never shows a tenant's own price")
    func ownPrices() async throws {
        try await TestPlatform.run({ $0.showsPricing = true }) { platform in
            try await platform.rateCard(from: "2026-01-01", tiers: [(nil, 777_000)])
            let key = [("Authorization", "Bearer \(platform.acme.api_keys[0].secret)")]
            for query in ["?logins=1000", "?logins=1000&tenant=acme", "?logins=1000&plan=enterprise&tenant=\(platform.acme.id)"] {
                let answer = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/pricing\(query)", headers: key)
                #expect(answer.status == 200 && answer.body.contains("5.00 USD") && !answer.body.contains("777"))
            }
        }
    }

    @Test("an address has a limit of requests per minute, and the refusal contains the wait")
    func limit() async throws {
        try await TestPlatform.run({ ($0.showsPricing, $0.apiRequestsPerMinute) = (true, 20) }) { platform in
            for _ in 0..<2 { #expect(try await Self.get(platform, "?logins=5").status == 200) }
            let refused = try await Self.get(platform, "?logins=5")
            #expect(refused.status == 429)
            let wait = try #require(refused.header("Retry-After"))
            #expect(Int(wait) ?? 0 > 0)
            #expect(refused.header("Cache-Control") == "no-store" && refused.body.contains("Too many requests"))
        }
    }
}
