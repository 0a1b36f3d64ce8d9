import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@testable import PeopleSSO

@Suite("Provider of an address")
struct AddressProviderTests {
    @Test("an address leads to the tenant that has proved its domain and has a provider")
    func found() async throws {
        try await SSOPlatform.run { sso in
            let database = PlatformDatabase(sso.platform.ownerPool)
            func find(_ address: String) async throws -> ID<Tenant>? { try await AddressProvider.find(address, in: database)?.tenant }
            _ = try await sso.create()
            _ = try await sso.set("https://a.test")
            #expect(try await find("ada@customer.test") == nil)
            _ = try await sso.prove("other.test", of: "globex")
            // Globex has no provider.
            #expect(try await find("ada@other.test") == nil)
            let domain = try #require(try await sso.platform.call("GET", "/tenants/acme/sso/domains").elements.first?["id"] as? String)
            let claim = try await sso.platform.call("GET", "/tenants/acme/sso/domains")
            let proof = try #require(claim.elements.first?["proof"] as? [String: Any])
            sso.resolver.publish(try #require(proof["value"] as? String), at: try #require(proof["name"] as? String))
            _ = try await sso.verify(domain)
            #expect(try await find("Ada@CUSTOMER.test")?.description == sso.platform.acme.id)
            for address in [
                "ada@customer.test.", "ada@xcustomer.test", "ada@sub.customer.test", "customer.test", "ada@customer.test\u{301}",
            ] {
                #expect(try await find(address) == nil, "\(address)")
            }
        }
    }

    @Test("only an active tenant requires its provider, of a person with an address in its domain or an account there")
    func required() async throws {
        try await SSOPlatform.run { sso in
            _ = try await sso.set("https://a.test")
            _ = try await sso.prove()
            let (database, platform) = (PlatformDatabase(sso.platform.ownerPool), sso.platform)
            let (acme, globex) = (try #require(ID<Tenant>(platform.acme.id)).uuid, try #require(ID<Tenant>(platform.globex.id)).uuid)
            let person = ID<Person>(try await sso.add("ada@customer.test"))
            func required(_ address: String = "Ada@CUSTOMER.test") async throws -> Set<UUID> {
                try await RequiredProviders.find(of: person, address, among: [acme, globex, .platform], in: database)
            }
            #expect(try await required().isEmpty)
            try await sso.noteSignIn()
            #expect(try await sso.set("https://a.test", secret: nil, ["is_required": true]).status == 200)
            #expect(try await required() == [acme])
            #expect(try await required("ada@other.test").isEmpty)
            let link = PersonIdentity.insert("1", at: "https://a.test", of: ID(acme), to: person, at: Date())
            _ = try await platform.ownerPool.run(link)
            #expect(try await required("ada@other.test") == [acme])
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'suspended' WHERE slug = 'acme'")
            #expect(try await required().isEmpty)
        }
    }
}
