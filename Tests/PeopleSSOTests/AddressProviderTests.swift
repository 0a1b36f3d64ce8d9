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

    @Test("only members of the tenant must use a required provider, and an owner may use a passkey")
    func required() async throws {
        try await SSOPlatform.run { sso in
            _ = try await sso.set("https://a.test")
            _ = try await sso.prove()
            let database = PlatformDatabase(sso.platform.ownerPool)
            let (acme, globex) = (try #require(ID<Tenant>(sso.platform.acme.id)), try #require(ID<Tenant>(sso.platform.globex.id)))
            var people: [(role: String, tenant: ID<Tenant>, id: UUID)] = []
            for (role, tenant) in [("owner", acme), ("admin", acme), ("owner", globex)] {
                people.append((role, tenant, try await sso.add("\(UUID())@customer.test", as: role, of: tenant.description)))
            }
            func isRequired(_ person: UUID, hasPasskey: Bool) async throws -> Bool {
                let provider = try #require(try await AddressProvider.find("ada@customer.test", in: database))
                let rows = try await database.run(Membership.all(of: ID(person)))
                return provider.isRequired(
                    of: try rows.map { (try $0.get("tenant_id"), try Membership($0)) }, hasPasskey: hasPasskey)
            }
            for person in people { #expect(try await !isRequired(person.id, hasPasskey: false)) }
            try await sso.noteSignIn()
            #expect(try await sso.set("https://a.test", secret: nil, ["is_required": true]).status == 200)
            for (role, tenant, id) in people {
                #expect(try await isRequired(id, hasPasskey: false) == (tenant == acme), "\(role)")
                #expect(try await isRequired(id, hasPasskey: true) == (tenant == acme && role != "owner"), "\(role)")
            }
        }
    }
}
