import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Roll API key")
struct RollAPIKeyTests {
    private static func roll(
        _ id: String, _ platform: TestPlatform, key: String? = nil, _ body: [String: any Sendable]? = nil
    ) async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/acme/api-keys/\(id)/roll", key: key, body)
    }

    @Test("the new key has the old one's name, scopes and expiry, and the old one works during the overlap")
    func overlap() async throws {
        try await TestPlatform.run { platform in
            let old = try await platform.issue("Nightly", scopes: ["tenants:read"], expiresAt: "2100-01-01T00:00:00Z")
            let id = try #require(old.string("id"))
            let before = Date()
            let new = try await Self.roll(id, platform, ["overlap_seconds": 3600])
            #expect(new.status == 201)
            for field in ["name", "expires_at"] { #expect(new.string(field) == old.string(field)) }
            #expect(new.json["scopes"] as? [String] == ["tenants:read"])
            #expect(new.string("id") != id && new.string("secret") != old.string("secret"))
            #expect(new.header("Location") == "/v1/tenants/acme/api-keys/\(try #require(new.string("id")))")
            #expect(try await platform.letsIn(try #require(old.string("secret"))))
            #expect(try await platform.letsIn(try #require(new.string("secret"))))

            let shown = try await platform.call("GET", "/tenants/acme/api-keys/\(id)")
            #expect(shown.string("rolled_to") == new.string("id"))
            let end = try Date(try #require(shown.string("expires_at")), strategy: .iso8601)
            #expect(end >= before.addingTimeInterval(3599) && end <= Date().addingTimeInterval(3601))
            #expect(shown.header("ETag") != old.header("ETag"))
            let audit = try await platform.audit(id)
            #expect(audit.map(\.action) == ["issueAPIKey", "rollAPIKey"])
            let (newID, newSecret) = (try #require(new.string("id")), try #require(new.string("secret")))
            #expect(audit[1].after?.contains(newID) == true)
            #expect(audit[1].after?.contains(newSecret) == false)
        }
    }

    @Test("an expiry before the end of the overlap stays, and an overlap of 0 ends the old key")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let soon = Date().addingTimeInterval(600).formatted(.iso8601)
            let old = try await platform.issue(expiresAt: soon)
            // The default overlap is a day.
            #expect(try await Self.roll(try #require(old.string("id")), platform).status == 201)
            let shown = try await platform.call("GET", "/tenants/acme/api-keys/\(try #require(old.string("id")))")
            #expect(shown.string("expires_at") == soon)

            let other = try await platform.issue()
            #expect(try await Self.roll(try #require(other.string("id")), platform, ["overlap_seconds": 0]).status == 201)
            try await eventually("the old key is refused") { try await !platform.letsIn(try #require(other.string("secret"))) }
        }
    }

    @Test("a key is rolled only once, and a revoked or expired key is not rolled")
    func conflicts() async throws {
        try await TestPlatform.run { platform in
            let key = try #require(try await platform.issue("Rolled").string("id"))
            #expect(try await Self.roll(key, platform).status == 201)
            #expect(try await Self.roll(key, platform).isProblem(409, "conflict"))
            let revoked = try #require(try await platform.issue("Revoked").string("id"))
            #expect(try await platform.call("POST", "/tenants/acme/api-keys/\(revoked)/revoke").status == 200)
            #expect(try await Self.roll(revoked, platform).isProblem(409, "conflict"))
            let expired = try #require(try await platform.issue("Expired", expiresAt: "2100-01-01T00:00:00Z").string("id"))
            _ = try await platform.ownerPool.run("UPDATE api_key SET expires_at = now() WHERE name = 'Expired'")
            #expect(try await Self.roll(expired, platform).isProblem(409, "conflict"))
        }
    }

    @Test("one of many concurrent rolls of a key succeeds")
    func race() async throws {
        try await TestPlatform.run { platform in
            let key = try #require(try await platform.issue("Wanted").string("id"))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<12 { tasks.addTask { try await Self.roll(key, platform).status } }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.filter { $0 == 409 }.count == 11)
            #expect(try await platform.count("api_key", where: "name = 'Wanted'") == 2)
        }
    }

    @Test("a missing scope, another tenant's key and an invalid overlap are refused, and nothing is rolled")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let key = try #require(try await platform.issue("Kept", scopes: ["tenants:read", "usage:read"]).string("id"))
            let small = try #require(try await platform.issue(scopes: ["api_keys:write", "tenants:read"]).string("secret"))
            let lacking = try await Self.roll(key, platform, key: small)
            #expect(lacking.isProblem(403, "insufficient_scope") && lacking.string("detail")?.contains("`usage:read`") == true)
            #expect(try await Self.roll(key, platform, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await Self.roll(key, platform, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await Self.roll(platform.globex.api_keys[0].id, platform).isProblem(404, "not_found"))
            for overlap: any Sendable in [-1, 2_592_001, 0.5, "1"] {
                #expect(try await Self.roll(key, platform, ["overlap_seconds": overlap]).refusedFields == ["overlap_seconds"])
            }
            #expect(try await platform.count("api_key", where: "rolled_to IS NOT NULL") == 0)
            // An operator's own key in the platform's path.
            let own = try await platform.call("POST", "/platform/api-keys/\(platform.seeded.api_keys[0].id)/roll")
            #expect(own.status == 201)
            #expect(try await platform.audit(platform.seeded.api_keys[0].id).map(\.action) == ["rollPlatformAPIKey"])
        }
    }
}
