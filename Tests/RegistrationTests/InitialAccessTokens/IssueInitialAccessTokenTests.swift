import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Issue initial access token")
struct IssueInitialAccessTokenTests {
    private static let path = "/tenants/acme/initial-access-tokens"

    @Test("a token is shown once, expires after 7 days, and registers one application without a machine by default")
    func issues() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("POST", Self.path, key: platform.acme.api_keys[0].secret, ["name": "Partner"])
            #expect(answer.status == 201, "\(answer.body)")
            let token = try #require(answer.string("secret"))
            #expect(token.wholeMatch(of: /eit_[0-9A-Za-z]{43}/) != nil && token.hasSuffix(answer.string("last_four") ?? "?"))
            #expect(answer.json["kinds"] as? [String] == ["web", "spa", "native"] && answer.json["requires_pkce"] as? Bool == true)
            #expect(answer.json["max_registrations"] as? Int == 1 && answer.json["registrations"] as? Int == 0)
            let lifetime = time(answer.string("expires_at") ?? "").timeIntervalSince(time(answer.string("created_at") ?? ""))
            #expect(abs(lifetime - 7 * 86400) <= 1)
            #expect(answer.header("Location") == "/v1\(Self.path)/\(answer.resourceID)" && answer.header("Cache-Control") == "no-store")

            let shown = try await platform.call("GET", "\(Self.path)/\(answer.resourceID)")
            let trail = try await platform.auditTrail(of: "issueInitialAccessToken")
            let rows = try await platform.ownerPool.run("SELECT t::text AS row FROM initial_access_token t")
                .map { try $0.get("row", as: String.self) }
            #expect(trail.map(\.subject) == [answer.resourceID] && rows.count == 1)
            for text in [shown.body] + trail.map(\.text) + rows { #expect(!text.contains(token)) }
        }
    }

    @Test("an invalid name, kind, number or end is refused and named")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let ends = ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "tomorrow"]
            let cases: [(String, any Sendable)] =
                ends.map { ("expires_at", $0) } + [
                    ("name", ""), ("name", "a\u{7}b"), ("kinds", [String]()), ("kinds", ["web", "web"]), ("kinds", ["console"]),
                    ("max_registrations", 0), ("max_registrations", 501), ("requires_pkce", "no"), ("redirect_uris", ["https://a.test"]),
                ]
            for (field, value) in cases {
                let answer = try await platform.call("POST", Self.path, ["name": "Partner"].merging([field: value]) { $1 })
                #expect(answer.status == 400 && answer.body.contains(field), "\(field): \(answer.body)")
            }
            #expect(try await platform.call("POST", Self.path, [:]).status == 400)
            #expect(try await platform.count("initial_access_token") == 0)
        }
    }

    @Test("it needs applications:write, and a tenant has at most 100 usable tokens")
    func bounded() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey("applications:read")
            #expect(try await platform.call("POST", Self.path, key: narrow, ["name": "Partner"]).isProblem(403, "insufficient_scope"))
            let first = try await platform.call("POST", Self.path, ["name": "Partner"])
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO initial_access_token (tenant_id, id, name, digest, bound_digest, last_four, kinds, requires_pkce,
                    max_registrations, registrations, expires_at, created_at, updated_at)
                SELECT tenant_id, gen_random_uuid(), name, digest || n::text::bytea, bound_digest, last_four, kinds, requires_pkce, 1, 0,
                    expires_at, created_at, updated_at FROM initial_access_token, generate_series(1, 99) AS n
                """)
            #expect(try await platform.call("POST", Self.path, ["name": "Partner"]).isProblem(409, "conflict"))
            // A revoked token makes room.
            #expect(try await platform.call("POST", "\(Self.path)/\(first.resourceID)/revoke").status == 200)
            #expect(try await platform.call("POST", Self.path, ["name": "Partner"]).status == 201)
            #expect(try await platform.call("POST", "/tenants/globex/initial-access-tokens", ["name": "Partner"]).status == 201)
        }
    }
}
