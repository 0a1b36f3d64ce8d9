import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// A person uses a permission of one tenant at another one, or at the platform.
@Suite("Attack: people of another tenant")
struct TenantCrossingTests {
    private static let paths = ["", "/members", "/invitations", "/roles", "/applications", "/api-keys", "/users", "/logins", "/webhooks"]

    private static func get(
        _ path: String, _ token: String, tenant: String? = nil, _ platform: TestPlatform
    ) async throws -> TestBrowser.Answer {
        try await platform.call("GET", path, key: token, headers: tenant.map { [("Espalier-Tenant", $0)] } ?? [])
    }

    @Test("a member of one tenant finds nothing of another one, by slug, ID or header, and gets 403 from the platform")
    func memberOfOneTenant() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let token = try #require(try await person.redeem(try await person.code(program), program).string("access_token"))
            #expect(try await Self.get("/tenants/acme/members", token, platform).status == 200)
            for tenant in ["globex", platform.globex.id, "GLOBEX", "nobody"] {
                for path in Self.paths {
                    for named in [nil, "acme", "globex"] {
                        let answer = try await Self.get("/tenants/\(tenant)\(path)", token, tenant: named, platform)
                        #expect(answer.status == 404 && answer.json["code"] as? String == "not_found", "\(tenant)\(path)")
                        #expect(!answer.body.contains("Globex"))
                    }
                }
            }
            let key: [String: any Sendable] = ["name": "CI", "scopes": ["tenants:read"]]
            #expect(try await platform.call("POST", "/tenants/globex/api-keys", key: token, key).status == 404)
            for path in ["/tenants", "/platform/operators", "/platform/people", "/platform/api-keys"] {
                #expect(try await Self.get(path, token, tenant: "globex", platform).status == 403, "\(path)")
            }
            #expect(try await Self.get("/caller", token, tenant: "globex", platform).json["tenant"] == nil)
        }
    }

    @Test("a session for one tenant, and a terminal that it approves, act for no other tenant of the person and not for the platform")
    func onlyTenantSession() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            _ = try await platform.ownerPool.run([
                """
                INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                SELECT id, gen_random_uuid(), (SELECT id FROM person), 'owner', now(), now() FROM tenant WHERE slug = 'globex'
                """,
                """
                INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), (SELECT id FROM person), 'operator', now(), now())
                """,
                "UPDATE person_session SET only_tenant_id = (SELECT id FROM tenant WHERE slug = 'globex')",
            ])
            let review = try await person.review(program)
            #expect(review.body.contains("Globex") && !review.body.contains("Acme"))
            let token = try #require(try await person.redeem(try await person.code(program), program).string("access_token"))
            #expect(try await Self.get("/tenants/globex/members", token, platform).status == 200)
            for path in Self.paths {
                for named in [nil, "acme"] {
                    #expect(try await Self.get("/tenants/acme\(path)", token, tenant: named, platform).status == 404, "\(path)")
                }
            }
            for path in ["/tenants", "/platform/operators", "/platform/people"] {
                #expect(try await Self.get(path, token, platform).status == 403, "\(path)")
            }
            // The person issued every key, of both tenants and of the platform. The page has those of one tenant.
            _ = try await platform.ownerPool.run("UPDATE api_key SET issued_by = (SELECT id FROM person)")
            let page = try await person.browser.get("\(TerminalPerson.issuer)/api-keys")
            let shown = page.body.matches(of: /\/account\/api-keys\/(apikey_[0-9a-z]+)\/revoke/).map { String($0.1) }
            let own = try await platform.call("GET", "/tenants/globex/api-keys").ids
            #expect(page.status == 200 && own.count == 2 && shown.sorted() == own.sorted(), "\(page.body)")
        }
    }
}
