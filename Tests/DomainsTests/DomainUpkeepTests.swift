import Access
import Encoding
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@testable import Domains

@Suite("Domain upkeep")
struct DomainUpkeepTests {
    @Test("a domain without its proof fails, and serves the tenant for 7 more days; then another tenant can prove the host")
    func failing() async throws {
        try await OwnHost.run { own in
            let upkeep = own.platform.installation.domainUpkeep
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            _ = try await own.change(id, ["is_primary": true, "is_exclusive": true])
            let now = Date()
            // Not due yet.
            own.resolver.remove("_espalier.\(OwnHost.name)")
            try await upkeep.pass(at: now)
            #expect(try await own.state(id) == "active")

            try await upkeep.pass(at: now + 86_400 + 60)
            #expect(try await own.state(id) == "failing")
            try await upkeep.pass(at: now + 7 * 86_400)
            #expect(try await own.state(id) == "failing")
            try await own.settle()
            let discovery = "\(OwnHost.url)/.well-known/openid-configuration"
            #expect(try await own.browser().get(discovery).status == 200)

            try await upkeep.pass(at: now + 8 * 86_400 + 3_700)
            let inactive = try await own.get(id)
            #expect(inactive.string("state") == "inactive" && inactive.json["is_exclusive"] as? Bool == false)
            try await eventually("the server knows it") { try await own.browser().get(discovery).status == 404 }
            // The old address is on again.
            try await eventually("the old address is on") {
                try await own.browser().get("\(own.platform.acme.issuer)/.well-known/openid-configuration").status == 200
            }
            let trail = try await own.platform.auditTrail(of: "verifyDomain")
            #expect(trail.map(\.actor).suffix(2) == ["system", "system"] && trail.count == 3)

            let other = try await own.activate(OwnHost.name, of: "globex")
            #expect(try await own.state(other, of: "globex") == "active")
            #expect(try await own.verify(id).string("outcome") == "missing")
        }
    }

    @Test("a proof that is back ends the failure")
    func recovers() async throws {
        try await OwnHost.unclaimed { own in
            let created = try await own.create()
            try own.publish(created)
            _ = try await own.verify(created.resourceID)
            own.resolver.remove("_espalier.\(OwnHost.name)")
            let (upkeep, now) = (own.platform.installation.domainUpkeep, Date())
            try await upkeep.pass(at: now + 86_460)
            #expect(try await own.state(created.resourceID) == "failing")
            try own.publish(created)
            try await upkeep.pass(at: now + 86_460 + 3_660)
            let found = try await own.get(created.resourceID)
            #expect(found.string("state") == "active" && found.json["failing_since"] == nil)
        }
    }

    @Test("a look that finds the record asks nothing about the host itself")
    func record() async throws {
        try await OwnHost.run { own in
            let (upkeep, record, before) = (own.platform.installation.domainUpkeep, "_espalier.\(OwnHost.name)", own.resolver.asked.count)
            try await upkeep.pass(at: Date() + 86_460)
            #expect(own.resolver.asked.dropFirst(before) == [record])
            own.resolver.remove(record)
            try await upkeep.pass(at: Date() + 2 * 86_460)
            #expect(own.resolver.asked.dropFirst(before + 1).contains(OwnHost.name))
        }
    }

    @Test("a pass warns once of its looks without an answer, and names the resolver")
    func unanswered() async throws {
        try await OwnHost.run { own in
            _ = try await own.activate("two.acme.test")
            let log = RecordedLog()
            let upkeep = DomainUpkeep(
                database: PlatformDatabase(own.platform.pool),
                proof: DomainProof(resolvers: own.platform.settings.dnsResolvers, allowsPrivate: false),
                publicURL: TestPlatform.publicURL, logger: log.logger, now: { Date() })
            try await upkeep.pass(at: Date() + 86_460)
            #expect(log.take().isEmpty)
            own.resolver.respond(.fail)
            try await upkeep.pass(at: Date() + 2 * 86_460)
            let facts = "looks=2 resolvers=\(own.resolver.setting) unanswered=2"
            #expect(log.take() == "no resolver answered the questions for proofs of domains \(facts)")
        }
    }

    @Test("a long pass reads the clock for each batch")
    func batches() async throws {
        try await OwnHost.unclaimed { own in
            _ = try await own.platform.ownerPool.run(
                """
                INSERT INTO domain (tenant_id, id, host, token, state, verified_at, proved_since, check_due_at, expires_at, created_at,
                    updated_at)
                SELECT id, gen_random_uuid(), 'login-' || n || '.acme.test', 'mB0Yw9pQ1nT5vXc7ZkR3aA', 'active', now(), now(), now(), now(),
                    now(), now()
                FROM tenant, generate_series(1, 21) AS n WHERE slug = 'acme'
                """)
            try await own.platform.installation.domainUpkeep.pass(at: Date() + 60)
            let found = try await own.platform.ownerPool.run(
                "SELECT count(DISTINCT checked_at) AS times, count(checked_at) AS looks FROM domain")
            #expect(try found[0].get("looks", as: Int.self) == 21 && found[0].get("times", as: Int.self) == 2)
        }
    }

    @Test("a claim without a proof ends after 7 days, with an audit event")
    func claims() async throws {
        try await OwnHost.unclaimed { own in
            let id = try await own.create().resourceID
            let upkeep = own.platform.installation.domainUpkeep
            try await upkeep.pass(at: Date() + 7 * 86_400 - 60)
            #expect(try await own.get(id).status == 200)
            try await upkeep.pass(at: Date() + 7 * 86_400 + 60)
            #expect(try await own.get(id).status == 404)
            let trail = try await own.platform.auditTrail(of: "deleteDomain")
            #expect(trail.map(\.subject) == [id] && trail.map(\.actor) == ["system"])
        }
    }

    @Test("a lost host is forgotten after a year, and then it is a name of the whole server again")
    func forgotten() async throws {
        try await OwnHost.unclaimed { own in
            let now = Date()
            for (host, days) in [("old.acme.test", 365.0), ("young.acme.test", 364.9)] {
                _ = try await own.platform.ownerPool.run(
                    """
                    INSERT INTO lost_host (host, lost_by, lost_at)
                    SELECT \(host), id, \(now - days * 86_400) FROM tenant WHERE slug = 'acme'
                    """)
            }
            let hosts = own.platform.installation.hosts
            try await own.settle()
            #expect(try await hosts.find("old.acme.test") == .nobody)
            try await own.platform.installation.domainUpkeep.pass(at: now + 1)
            let left = try await own.platform.ownerPool.run("SELECT host FROM lost_host").map { try $0.get("host", as: String.self) }
            #expect(left == ["young.acme.test"])
            try await own.settle()
            #expect(try await hosts.find("old.acme.test") == .publicURL)
            #expect(try await hosts.find("young.acme.test") == .nobody)
        }
    }

    @Test("the purge of a tenant frees its domain")
    func purge() async throws {
        try await OwnHost.run { own in
            _ = try await own.platform.ownerPool.run(
                """
                UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() - interval '1 day'
                WHERE slug = 'acme'
                """)
            #expect(try await own.platform.installation.purge.purgeDue() == 1)
            #expect(try await own.platform.count("domain") == 0)
            try await eventually("the server knows it") {
                try await own.browser().get("\(OwnHost.url)/.well-known/openid-configuration").status == 404
            }
            // The host does not become a name of the whole server.
            try await own.settle()
            let status = try await RawRequest.status(
                "/t/globex/.well-known/openid-configuration", "Host: \(OwnHost.name)", to: own.platform)
            #expect(status == 404)
            #expect(try await own.state(own.activate(OwnHost.name, of: "globex"), of: "globex") == "active")
        }
    }
}
