import Access
import Billing
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Get usage")
struct GetUsageTests {
    private static func usage(
        _ platform: TestPlatform, of tenant: String = "acme", query: String = "", key: String?, header: String? = nil
    ) async throws -> TestBrowser.Answer {
        let value = header ?? key.map { "Bearer \($0)" }
        return try await TestBrowser(platform).get(
            "\(TestPlatform.publicURL)/v1/tenants/\(tenant)/usage\(query)", headers: value.map { [("Authorization", $0)] } ?? [])
    }

    /// Appends events at these times.
    private static func append(_ platform: TestPlatform, _ times: [String]) async throws {
        try await platform.append(
            times.map { try Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) })
    }

    @Test("a login is exactly one event, and its start, callback and refreshes are none")
    func exactlyOne() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let key = platform.acme.api_keys[0].secret
            func logins() async throws -> Int? { try await Self.usage(platform, key: key).json["logins"] as? Int }
            #expect(try await logins() == 0)
            let back = try await browser.signIn(request, person: "Grace Hopper")
            #expect(try await browser.signIn(request, person: "cancel")["error"] == "access_denied")
            #expect(try await logins() == 0)
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(try await logins() == 1)
            let refreshed = try await browser.refresh(try #require(tokens.json["refresh_token"] as? String), request)
            #expect(refreshed.status == 200)
            #expect(try await browser.redeem(back["code"]!, request).status == 400)
            #expect(try await logins() == 1)
            // Another login of the same person.
            _ = try await browser.tokens(request, person: "Grace Hopper")
            #expect(try await logins() == 2)
            let other = try await Self.usage(platform, of: "globex", key: platform.globex.api_keys[0].secret)
            #expect(other.json["logins"] as? Int == 0)
        }
    }

    @Test("an event contains the ownership of the login's connection")
    func connection() async throws {
        try await TestPlatform.run { platform in
            for (tenant, connection) in [(platform.acme, "own"), (platform.globex, "shared")] {
                _ = try await TestBrowser(platform).tokens(.init(tenant))
                let id = ID<Tenant>(tenant.id)
                let reported = try await platform.ownerPool.run("SELECT connection FROM usage_arrival WHERE tenant_id = \(id)")
                    .map { try $0.get("connection", as: String.self) }
                #expect(reported == [connection])
            }
        }
    }

    @Test("the window starts with `from` and ends before `to`, and days are in UTC")
    func window() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(
                platform,
                [
                    "2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00.000Z",
                    "2026-03-31T23:59:59.999Z", "2026-04-01T00:00:00.000Z",
                ])
            let key = platform.acme.api_keys[0].secret
            for (query, logins, days) in [
                ("?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z", 4, ["2026-03-01": 2, "2026-03-02": 1, "2026-03-31": 1]),
                ("?from=2026-03-01T01:00:00%2B01:00&to=2026-03-02T00:00:00.000Z", 2, ["2026-03-01": 2]),
                ("?from=2026-03-02T00:00:00.001Z&to=2026-03-31T23:59:59.999Z", 0, [:]),
            ] {
                let answer = try await Self.usage(platform, query: query, key: key)
                #expect(answer.status == 200)
                #expect(answer.json["logins"] as? Int == logins, "\(query)")
                let reported = try #require(answer.json["days"] as? [[String: any Sendable]])
                #expect(reported.map { $0["date"] as! String } == days.keys.sorted())
                #expect(reported.allSatisfy { $0["logins"] as? Int == days[$0["date"] as! String] })
            }
            let answer = try await Self.usage(platform, query: "?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z", key: key)
            #expect(answer.json["from"] as? String == "2026-03-01T00:00:00Z")
            #expect(answer.json["to"] as? String == "2026-04-01T00:00:00Z")
            #expect(answer.json["tenant_id"] as? String == platform.acme.id)
            #expect(answer.json["object"] as? String == "usage")
            #expect(answer.headers.first(name: "Cache-Control") == "no-store")
        }
    }

    @Test("a purged tenant still has its daily numbers, for operators")
    func purged() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform, ["2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00.000Z"])
            let query = "?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z"
            let operatorsKey = platform.seeded.api_keys[0].secret
            let before = try await Self.usage(platform, query: query, key: operatorsKey)
            #expect(before.json["logins"] as? Int == 3)
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            _ = try await platform.ownerPool.run("UPDATE tenant SET purge_after = now() - interval '1 second' WHERE slug = 'acme'")
            try await platform.rollUp()
            #expect(try await platform.installation.purge.purgeDue() == 0)
            #expect(try await platform.closing().pass(at: Date(timeIntervalSinceNow: 40 * 86400)) >= 2)
            #expect(try await platform.installation.purge.purgeDue() == 1)
            let after = try await Self.usage(platform, query: query, key: operatorsKey)
            func numbers(_ answer: TestBrowser.Answer) -> NSDictionary {
                answer.json.filter { !["complete_until", "users"].contains($0.key) } as NSDictionary
            }
            #expect(numbers(after) == numbers(before))
            #expect(after.json["users"] as? Int == 3)
            let part = try await Self.usage(platform, query: "?from=2026-03-01T12:00:00Z&to=2026-03-02T00:00:00.001Z", key: operatorsKey)
            #expect(part.json["logins"] as? Int == 1)
            let other = try await Self.usage(platform, of: "globex", query: query, key: platform.globex.api_keys[0].secret)
            #expect(other.json["logins"] as? Int == 0)
            try await eventually("the purge is in effect") {
                try await Self.usage(platform, query: query, key: platform.acme.api_keys[0].secret).status == 401
            }
        }
    }

    @Test("an invalid window is refused with its name")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            for (query, field) in [
                ("?from=yesterday", "from"), ("?to=2026-03-01", "to"), ("?since=1", "since"), ("?from=", "from"),
                ("?from=2026-04-01T00:00:00Z&to=2026-03-01T00:00:00Z", "to"), ("?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
            ] {
                let answer = try await Self.usage(platform, query: query, key: platform.acme.api_keys[0].secret)
                #expect(answer.status == 400)
                #expect(answer.json["code"] as? String == "invalid")
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == [field], "\(query)")
                #expect(answer.headers.first(name: "Content-Type") == "application/problem+json")
            }
        }
    }

    @Test("the tenant's key and an operator's can read usage, by ID or by slug")
    func allowed() async throws {
        try await TestPlatform.run { platform in
            for key in [platform.acme.api_keys[0].secret, platform.seeded.api_keys[0].secret] {
                for name in ["acme", platform.acme.id] {
                    let answer = try await Self.usage(platform, of: name, key: key)
                    #expect(answer.status == 200)
                }
            }
        }
    }

    @Test("another tenant's key cannot distinguish an existing tenant from a missing one")
    func strangersKey() async throws {
        try await TestPlatform.run { platform in
            let key = platform.globex.api_keys[0].secret
            func reported(_ name: String) async throws -> [String: String] {
                let answer = try await Self.usage(platform, of: name, key: key)
                #expect(answer.status == 404)
                #expect(answer.json["code"] as? String == "not_found")
                return answer.json.compactMapValues { $0 as? String }.filter { !["request_id", "instance"].contains($0.key) }
            }
            let unknown = try await reported("initech")
            #expect(try await reported("acme") == unknown)
            #expect(try await reported(platform.acme.id) == unknown)
            #expect(try await reported("tenant_00000000000000000000000000") == unknown)
        }
    }

    @Test("without a valid key the request is refused and reveals nothing about the tenant")
    func noKey() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            for (name, secret, header) in [
                ("acme", nil, nil), ("initech", nil, nil), ("acme", key + "x", nil), ("acme", String(key.dropLast()), nil),
                ("acme", "x", nil),
                ("acme", "esk_live_000000000000000000000000000000000000", nil), ("acme", nil, "Basic \(key)"), ("acme", nil, key),
                ("acme", platform.acme.applications[0].client_secret, nil),
            ] as [(String, String?, String?)] {
                let answer = try await Self.usage(platform, of: name, key: secret, header: header)
                #expect(answer.status == 401)
                #expect(answer.json["code"] as? String == "unauthenticated")
                #expect(answer.headers.first(name: "WWW-Authenticate")?.hasPrefix("Bearer") == true)
            }
            // A user's access token is not an API key.
            let tokens = try await TestBrowser(platform).tokens(.init(platform.acme))
            #expect(try await Self.usage(platform, key: tokens["access_token"] as? String).status == 401)
        }
    }

    @Test("an expired or revoked key is invalid, and the refusal of a key without the scope names the scope")
    func keyEnded() async throws {
        try await TestPlatform.run { platform in
            let lacking = try await Self.usage(platform, key: platform.acme.api_keys[1].secret)
            #expect(lacking.status == 403)
            #expect(lacking.json["code"] as? String == "insufficient_scope")
            #expect((lacking.json["detail"] as? String)?.contains("usage:read") == true)

            let (expired, revoked) = (platform.globex.api_keys[0], platform.acme.api_keys[0])
            let ids = (ID<APIKey>(expired.id), ID<APIKey>(revoked.id))
            _ = try await platform.ownerPool.run([
                "UPDATE api_key SET expires_at = now() WHERE id = \(ids.0)", "UPDATE api_key SET revoked_at = now() WHERE id = \(ids.1)",
            ])
            #expect(try await Self.usage(platform, of: "globex", key: expired.secret).status == 401)
            #expect(try await Self.usage(platform, key: revoked.secret).status == 401)
        }
    }
}
