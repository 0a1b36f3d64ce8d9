import Access
import Domains
import Foundation
import Logging
import Postgres
import Server
import TestSupport
import Testing

@testable import PeopleSSO

@Suite("Domains of members")
struct SSODomainTests {
    @Test("the record of the tenant's own claim proves the domain, that of another tenant does not, and it belongs to one tenant")
    func proves() async throws {
        try await SSOPlatform.run { sso in
            let (acme, globex) = (try await sso.create(), try await sso.create(of: "globex"))
            #expect(acme.status == 201 && acme.string("state") == "pending", "\(acme.body)")
            #expect(try await sso.create().isProblem(409, "conflict"))
            #expect(try await sso.verify(acme.resourceID).string("outcome") == "missing")
            try sso.publish(globex)
            #expect(try await sso.verify(acme.resourceID).string("outcome") == "missing")
            #expect(try await sso.verify(globex.resourceID, of: "globex").string("outcome") == "found")
            #expect(try await sso.states(of: "globex") == ["active"])
            try sso.publish(acme)
            let taken = try await sso.verify(acme.resourceID)
            #expect(taken.isProblem(409, "conflict") && !taken.body.lowercased().contains("globex"))
            #expect(try await sso.platform.auditTrail(of: "verifySSODomain").map(\.subject) == [globex.resourceID])
            let path = "/tenants/globex/sso/domains/\(globex.resourceID)"
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/sso/domains/\(globex.resourceID)").isProblem(404, "not_found"))
            #expect(try await sso.platform.call("DELETE", path).status == 204)
            #expect(try await sso.verify(acme.resourceID).string("outcome") == "found")
        }
    }

    @Test("a name that is not a domain is refused")
    func refuses() async throws {
        try await SSOPlatform.run { sso in
            for name in [
                "", "test", "Customer.test", "customer.test.", "@customer.test", "a@customer.test", "customer.test\u{301}", "кунде.test",
                "127.0.0.1", "-a.test", "a..test", "customer.test\u{200D}", "*.customer.test",
                String(repeating: "a23456789.", count: 24) + "test",
            ] {
                let refused = try await sso.create(name)
                #expect(refused.status == 400 && refused.body.contains("domain"), "\(name): \(refused.body)")
            }
            // The addresses of the operator may be at the host of this server.
            #expect(try await sso.create("login.test").status == 201)
        }
    }

    @Test("a domain fails without its record, and is inactive after 7 days; without an answer, nothing changes")
    func upkeep() async throws {
        try await SSOPlatform.run { sso in
            _ = try await sso.prove()
            let pool = sso.platform.ownerPool
            let jobs = SSODomainJobs(
                pool: pool, proof: DomainProof(resolvers: sso.platform.settings.dnsResolvers, allowsPrivate: true),
                logger: .init(label: "test"),
                now: { Date() })
            let database = PlatformDatabase(pool)
            func pass(after days: Double) async throws {
                let now = Date() + days * 86400
                try await jobs.pass(in: database, at: now)
            }
            try await pass(after: 2)
            #expect(try await sso.states() == ["active"])
            sso.resolver.respond(.fail)
            try await pass(after: 4)
            #expect(try await sso.states() == ["active"])
            sso.resolver.respond(.answer)
            sso.resolver.remove("_espalier-sso.\(SSOPlatform.domain)")
            try await pass(after: 6)
            #expect(try await sso.states() == ["failing"])
            try await pass(after: 12)
            #expect(try await sso.states() == ["failing"])
            try await pass(after: 14)
            #expect(try await sso.states() == ["inactive"])
        }
    }

    @Test("a claim without a proof ends after 7 days")
    func claims() async throws {
        try await SSOPlatform.run { sso in
            let claim = try await sso.create()
            let jobs = SSODomainJobs(
                pool: sso.platform.ownerPool, proof: DomainProof(resolvers: [], allowsPrivate: true), logger: .init(label: "test"),
                now: { Date() })
            try await jobs.pass(in: PlatformDatabase(sso.platform.ownerPool), at: Date() + 8 * 86400)
            #expect(try await sso.states() == [])
            #expect(try await sso.platform.audit(claim.resourceID).map(\.action).sorted() == ["createSSODomain", "deleteSSODomain"])
        }
    }

    @Test("the domain of an address is everything after its last @, in lower case")
    func addresses() {
        #expect(SSODomain.ofAddress("Ada@Customer.Test") == "customer.test")
        #expect(SSODomain.ofAddress("a@b@customer.test") == "customer.test")
        for text in ["", "@", "ada", "ada@"] { #expect(SSODomain.ofAddress(text) == nil) }
        #expect(SSODomain.ofAddress("ada@customer.test\u{301}") != "customer.test")
    }
}
