import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// An attacker who can change rows, for example by SQL injection, moves credentials to where they give more rights. Here, the attacker
/// even has the role that owns the schema, which no grant limits.
@Suite("Attack: credentials moved in the database")
struct MovedCredentialTests {
    private static let platform = "00000000-0000-0000-0000-000000000000"

    @Test("an API key moved to the platform, to another tenant or to another ID authenticates nobody")
    func apiKey() async throws {
        // Each in an installation that has not used the key before.
        for (number, change) in [
            "UPDATE api_key SET tenant_id = '\(Self.platform)' WHERE tenant_id = \(Self.tenant("acme")) AND name = 'All'",
            "UPDATE api_key SET tenant_id = \(Self.tenant("globex")) WHERE tenant_id = \(Self.tenant("acme")) AND name = 'All'",
            "UPDATE api_key SET id = gen_random_uuid() WHERE tenant_id = \(Self.tenant("acme")) AND name = 'All'",
            // Without its binding, as a row of the previous version.
            """
            UPDATE api_key SET tenant_id = '\(Self.platform)', bound_digest = NULL
            WHERE tenant_id = \(Self.tenant("acme")) AND name = 'All'
            """,
            // With the bound digest of a row at the attacker's target.
            """
            UPDATE api_key SET tenant_id = '\(Self.platform)', bound_digest = wanted.bound_digest
            FROM api_key wanted WHERE wanted.name = 'Operator'
                AND api_key.tenant_id = \(Self.tenant("acme")) AND api_key.name = 'All'
            """,
        ].enumerated() {
            try await TestPlatform.run { platform async throws in
                let own = platform.acme.api_keys[0].secret
                #expect(try await platform.ownerPool.run(SQL(unsafe: change)).affected == 1, "\(number)")
                for path in ["/tenants", "/tenants/acme", "/tenants/globex"] {
                    #expect(try await platform.call("GET", path, key: own).status == 401, "\(number) \(path)")
                }
                // An unchanged key.
                #expect(try await platform.call("GET", "/tenants/acme", key: platform.acme.api_keys[1].secret).status == 200)
            }
        }
    }

    @Test("a client secret moved to another application or tenant authenticates nobody")
    func clientSecret() async throws {
        try await TestPlatform.run { platform in
            let (own, other) = (platform.acme.applications[0], platform.acme.applications[2])
            let secret = try #require(own.client_secret)
            func authenticates(_ application: String, of tenant: SeedResult.TenantResult, _ secret: String) async throws -> Bool {
                let answer = try await TestBrowser(platform).post(
                    "\(tenant.issuer)/oauth2/token",
                    form: [
                        ("grant_type", "refresh_token"), ("refresh_token", "ert_x"), ("client_id", application), ("client_secret", secret),
                    ])
                #expect(answer.refuses("invalid_client", "invalid_grant"))
                return answer.json["error"] as? String == "invalid_grant"
            }
            // The secrets of two applications are exchanged. At the other tenant, a copy replaces the existing secret.
            let names = "(SELECT id FROM application WHERE tenant_id = \(Self.tenant("acme")) AND name = '%')"
            let (web, old) = (names.replacing("%", with: "Web"), names.replacing("%", with: "Old"))
            let moved = try await platform.ownerPool.run(
                SQL(
                    unsafe: """
                        UPDATE application_secret SET application_id = CASE WHEN application_id = \(web) THEN \(old) ELSE \(web) END
                        WHERE tenant_id = \(Self.tenant("acme"))
                        """))
            #expect(moved.affected == 2)
            let copied = try await platform.ownerPool.run(
                SQL(
                    unsafe: """
                        UPDATE application_secret s SET digest = own.digest, bound_digest = own.bound_digest
                        FROM application_secret own WHERE s.tenant_id = \(Self.tenant("globex")) AND own.application_id = \(old)
                        """))
            #expect(copied.affected == 2)
            #expect(try await !authenticates(other.client_id, of: platform.acme, secret))
            #expect(try await !authenticates(own.client_id, of: platform.acme, secret))
            for application in platform.globex.applications where application.client_secret != nil {
                #expect(try await !authenticates(application.client_id, of: platform.globex, secret))
            }
        }
        // In an unchanged database, the same request authenticates.
        try await TestPlatform.run { platform in
            let answer = try await TestBrowser(platform).refresh("ert_x", .init(platform.acme))
            #expect(answer.json["error"] as? String == "invalid_grant")
        }
    }

    private static func tenant(_ slug: String) -> String { "(SELECT id FROM tenant WHERE slug = '\(slug)')" }
}
