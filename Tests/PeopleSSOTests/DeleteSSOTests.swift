import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete SSO")
struct DeleteSSOTests {
    @Test("the deletion of a provider, or another issuer, ends the accounts there and no others")
    func identities() async throws {
        try await SSOPlatform.run { sso in
            let platform = sso.platform
            func accounts() async throws -> Int { try await platform.count("person_identity") }
            let (person, acme, globex) = (
                UUID(), try #require(UUID(tenant: platform.acme.id)), try #require(UUID(tenant: platform.globex.id))
            )
            for issuer in ["https://b.test", ""] {
                _ = try await sso.set("https://a.test")
                _ = try await platform.ownerPool.run([
                    "DELETE FROM person",
                    "INSERT INTO person (id, name, email, created_at, updated_at) VALUES (\(person), 'Ada', 'a@a.test', now(), now())",
                    """
                    INSERT INTO person_identity (id, person_id, issuer_tenant_id, issuer, subject, created_at)
                    VALUES (gen_random_uuid(), \(person), \(acme), 'https://a.test', '1', now()),
                        (gen_random_uuid(), \(person), \(globex), 'https://a.test', '1', now()),
                        (gen_random_uuid(), \(person), \(acme), 'https://apple.test', '1', now())
                    """,
                ])
                if issuer.isEmpty {
                    #expect(try await platform.call("DELETE", "/tenants/acme/sso").status == 204)
                } else {
                    #expect(try await sso.set(issuer).status == 200)
                }
                #expect(try await accounts() == 2)
            }
        }
    }
}

extension UUID {
    fileprivate init?(tenant id: String) {
        guard let id = ID<Tenant>(id) else { return nil }
        self = id.uuid
    }
}
