import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create invitation")
struct CreateInvitationTests {
    @Test("the link is shown once, expires after 7 days, and is neither in the list nor in the audit trail nor in the table")
    func creates() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.invite("Grace@example.com", as: "admin")
            #expect(answer.status == 201, "\(answer.body)")
            let url = try #require(answer.string("url"))
            #expect(url.wholeMatch(of: /https:\/\/login\.test\/account\/invitation\?token=inv_[0-9A-Za-z]{43}/) != nil)
            #expect(answer.string("email") == "Grace@example.com")
            #expect(answer.string("role") == "admin" && answer.string("state") == "pending")
            #expect(answer.string("invited_by") == platform.acme.api_keys[0].id && answer.header("Cache-Control") == "no-store")
            let lifetime = time(answer.string("expires_at") ?? "").timeIntervalSince(time(answer.string("created_at") ?? ""))
            #expect(abs(lifetime - 7 * 86400) <= 1)

            let token = String(url.suffix(47))
            let list = try await platform.call("GET", "/tenants/acme/invitations")
            let trail = try await platform.auditTrail(of: "createInvitation")
            let rows = try await platform.ownerPool.run("SELECT t::text AS row FROM invitation t")
                .map { try $0.get("row", as: String.self) }
            #expect(list.ids == [answer.resourceID] && trail.map(\.subject) == [answer.resourceID] && rows.count == 1)
            for text in [list.body] + trail.map(\.text) + rows { #expect(!text.contains(token)) }
        }
    }

    @Test("a caller invites only with a role whose scopes it has")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let admin = try await platform.acmeKey(.admin)
            for role in ["owner", "billing"] {
                let refused = try await platform.invite("grace@example.com", as: role, key: admin)
                #expect(refused.isProblem(403, "insufficient_scope"), "\(role): \(refused.body)")
            }
            let wide = try await platform.call("POST", "/tenants/acme/roles", ["name": "Money", "scopes": ["usage:write"]]).resourceID
            #expect(try await platform.invite("grace@example.com", as: wide, key: admin).isProblem(403, "insufficient_scope"))
            #expect(try await platform.count("invitation") == 0)
            #expect(try await platform.invite("grace@example.com", as: "admin", key: admin).status == 201)
            let developer = try await platform.acmeKey(.developer)
            #expect(try await platform.invite("alan@example.com", as: "viewer", key: developer).isProblem(403, "insufficient_scope"))
        }
    }

    @Test("an invalid address, role or end is refused and named")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let foreign = try await platform.call("POST", "/tenants/globex/roles", ["name": "Desk", "scopes": ["users:read"]]).resourceID
            let cases: [(String, any Sendable)] = [
                ("email", ""), ("email", "grace"), ("email", "grace@localhost"), ("email", "grace@example.com\r\nBcc: x@example.com"),
                ("email", "\"grace\"@example.com"), ("email", "gr\u{202E}ace@example.com"), ("role", "operator"), ("role", "root"),
                ("role", foreign), ("expires_at", "2020-01-01T00:00:00Z"), ("expires_at", "2999-01-01T00:00:00Z"),
                ("url", "https://x.test"), ("invited_by", "system"),
            ]
            for (field, value) in cases {
                let body: [String: any Sendable] = ["email": "grace@example.com", "role": "viewer"]
                let answer = try await platform.call("POST", "/tenants/acme/invitations", body.merging([field: value]) { $1 })
                #expect(answer.status == 400 && answer.body.contains(field), "\(field): \(answer.body)")
            }
            #expect(try await platform.count("invitation") == 0)
        }
    }

    @Test("an address has one open invitation in a tenant, in any case of its letters, and a member has none")
    func once() async throws {
        try await TestPlatform.run { platform in
            let first = try await platform.invite("grace@example.com")
            #expect(first.status == 201)
            #expect(try await platform.invite("GRACE@example.com").isProblem(409, "conflict"))
            let other: [String: any Sendable] = ["email": "grace@example.com", "role": "viewer"]
            #expect(try await platform.call("POST", "/tenants/globex/invitations", other).status == 201)
            // The Kelvin sign is not a K.
            #expect(try await platform.invite("kate@example.com").status == 201)
            #expect(try await platform.invite("\u{212A}ate@example.com").status == 201)
            _ = try await platform.addMember("Ada")
            #expect(try await platform.invite("ADA@example.com").isProblem(409, "conflict"))

            // An expired one makes room, with its deletion in the trail.
            _ = try await platform.ownerPool.run(
                """
                UPDATE invitation SET expires_at = now() - interval '1 second'
                WHERE tenant_id = \(platform.acmeID) AND email = 'grace@example.com'
                """)
            #expect(try await platform.invite("grace@example.com").status == 201)
            let trail = try await platform.audit(first.resourceID)
            #expect(trail.map(\.action) == ["createInvitation", "deleteInvitation"] && trail.last?.actor == "system")
        }
    }

    @Test("two requests at once create one invitation, and a tenant has at most 100 open ones")
    func limits() async throws {
        try await TestPlatform.run { platform in
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await platform.invite("grace@example.com").status } }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers.sorted() == [201, 409, 409, 409])
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO invitation (tenant_id, id, email, role, digest, bound_digest, invited_by, expires_at, created_at, updated_at)
                SELECT \(platform.acmeID), gen_random_uuid(), n || '@example.com', 'viewer', sha256(n::text::bytea), '\\x00', 'system',
                    now() + interval '1 day', now(), now() FROM generate_series(1, 99) AS n
                """)
            #expect(try await platform.invite("alan@example.com").isProblem(409, "conflict"))
            _ = try await platform.ownerPool.run("UPDATE invitation SET expires_at = now() WHERE email = '1@example.com'")
            #expect(try await platform.invite("alan@example.com").status == 201)
        }
    }
}
