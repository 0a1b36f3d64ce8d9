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
