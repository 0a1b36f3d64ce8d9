import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Get tenant")
struct GetTenantTests {
    private static func tenant(_ platform: TestPlatform, _ name: String, key: String?) async throws -> TestBrowser.Answer {
        try await TestBrowser(platform).get(
            "\(TestPlatform.publicURL)/v1/tenants/\(name)", headers: key.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    @Test("a tenant's key and an operator's see it, by ID or by slug, without secret data")
    func seen() async throws {
        try await TestPlatform.run { platform in
            for key in [platform.acme.api_keys[0].secret, platform.acme.api_keys[1].secret, platform.seeded.api_keys[0].secret] {
                for name in ["acme", platform.acme.id] {
                    let answer = try await Self.tenant(platform, name, key: key)
                    #expect(answer.status == 200)
                    #expect(
                        Set(answer.json.keys) == [
                            "id", "object", "slug", "name", "plan", "status", "issuer", "connection_id", "profile_retention_days",
                            "signing_key_days", "single_sign_on", "browser_session_seconds", "browser_idle_seconds", "sign_in_page",
                            "account_linking",
                            "allows_support",
                            "created_at",
                            "updated_at",
                        ])
                    #expect(answer.json["id"] as? String == platform.acme.id)
                    #expect(answer.json["slug"] as? String == "acme")
                    #expect(answer.json["plan"] as? String == "enterprise")
                    #expect(answer.json["issuer"] as? String == "\(TestPlatform.publicURL)/t/acme")
                    #expect(answer.header("ETag")?.hasPrefix("\"") == true)
                    #expect(answer.json["status"] as? String == "active")
                    #expect((answer.json["created_at"] as? String)?.hasSuffix("Z") == true)
                }
            }
        }
    }

    @Test("a tenant on the shared connection has none of its own")
    func shared() async throws {
        try await TestPlatform.run { platform in
            let answer = try await Self.tenant(platform, "globex", key: platform.globex.api_keys[0].secret)
            #expect(answer.status == 200)
            #expect(answer.json["connection_id"] == nil)
        }
    }

    @Test("a tenant that the previous version created asks nobody about another Apple Account")
    func older() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO tenant (id, slug, name, plan, status, created_at, updated_at)
                VALUES (gen_random_uuid(), 'older', 'Older', 'free', 'active', now(), now())
                """)
            let answer = try await Self.tenant(platform, "older", key: platform.seeded.api_keys[0].secret)
            #expect(answer.status == 200 && answer.string("account_linking") == "off", "\(answer.body)")
        }
    }

    @Test("to another tenant's key it does not exist")
    func strangersKey() async throws {
        try await TestPlatform.run { platform in
            func reported(_ name: String) async throws -> [String: String] {
                let answer = try await Self.tenant(platform, name, key: platform.globex.api_keys[0].secret)
                #expect(answer.status == 404)
                return answer.json.compactMapValues { $0 as? String }.filter { !["request_id", "instance"].contains($0.key) }
            }
            let unknown = try await reported("initech")
            #expect(try await reported("acme") == unknown)
            #expect(try await reported(platform.acme.id) == unknown)
        }
    }

    @Test("without a key the request is refused, whether the tenant exists or not")
    func noKey() async throws {
        try await TestPlatform.run { platform in
            for name in ["acme", "initech"] {
                let answer = try await Self.tenant(platform, name, key: nil)
                #expect(answer.status == 401)
                #expect(answer.headers.first(name: "WWW-Authenticate")?.hasPrefix("Bearer") == true)
                #expect(answer.headers.first(name: "Content-Type") == "application/problem+json")
            }
        }
    }
}
