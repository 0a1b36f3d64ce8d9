import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create domain")
struct CreateDomainTests {
    @Test("a claim has the values of its proof and of Apple's portal; it is audited, and notifies no server")
    func creates() async throws {
        try await OwnHost.unclaimed { own in
            let answer = try await own.platform.call(
                "POST", "/tenants/acme/domains", key: own.platform.acme.api_keys[0].secret, ["host": OwnHost.name])
            #expect(answer.status == 201, "\(answer.body)")
            #expect(answer.string("state") == "pending" && answer.string("host") == OwnHost.name)
            #expect(answer.string("issuer") == OwnHost.url && answer.string("return_url") == "\(OwnHost.url)/auth/apple/callback")
            let proof = try #require(answer.json["proof"] as? [String: [String: String]])
            let token = try #require(proof["file"]?["content"])
            #expect(token.utf8.count == 22)
            #expect(proof["record"] == ["name": "_espalier.\(OwnHost.name)", "type": "TXT", "value": "espalier-domain=\(token)"])
            #expect(proof["file"]?["url"] == "http://\(OwnHost.name)/.well-known/espalier-domain")
            #expect(answer.header("Location") == "/v1/tenants/acme/domains/\(answer.resourceID)")
            #expect(try await own.platform.auditTrail(of: "createDomain").map(\.subject) == [answer.resourceID])
            // The host still leads to the platform.
            try await own.settle()
            #expect(try await own.browser().get("\(OwnHost.url)/.well-known/openid-configuration").status == 404)
        }
    }

    @Test("a host that is none, or the server's own, is refused and named")
    func refuses() async throws {
        try await OwnHost.unclaimed { own in
            for host in [
                "", "localhost", "10.0.0.1", "login.test", "acme.login.test", "Login.acme.test", "login.acme.test:443", "login.acme.test.",
                "bücher.example", "login\u{200D}.acme.test", "login\u{600}.acme.test", "login.acme.test\u{301}",
                String(repeating: "a.", count: 200) + "b",
            ] {
                let answer = try await own.create(host)
                #expect(answer.refuses("host"), "\(host): \(answer.body)")
            }
            let unknown = try await own.platform.call("POST", "/tenants/acme/domains", ["host": OwnHost.name, "state": "active"])
            #expect(unknown.refuses("state"))
        }
    }

    @Test("the issuer of a host is never the audience of an API")
    func audience() async throws {
        try await OwnHost.unclaimed { own in
            func create(_ audience: String) async throws -> TestBrowser.Answer {
                try await own.platform.call("POST", "/tenants/acme/apis", ["name": "Billing", "audience": audience])
            }
            for audience in [OwnHost.url, "\(OwnHost.url)/billing"] {
                let api = try await create(audience)
                #expect(api.status == 201, "\(api.body)")
                let refused = try await own.create()
                #expect(refused.problem == "conflict" && refused.body.contains("audience"), "\(refused.body)")
                #expect(try await own.platform.call("DELETE", "/tenants/acme/apis/\(api.resourceID)").status == 204)
            }
            let claim = try await own.create()
            try own.publish(claim)
            let api = try await create(OwnHost.url)
            #expect(api.status == 201)
            #expect(try await own.verify(claim.resourceID).problem == "conflict")
            #expect(try await own.platform.call("DELETE", "/tenants/acme/apis/\(api.resourceID)").status == 204)
            #expect(try await own.verify(claim.resourceID).string("outcome") == "found")
            try await own.settle()
            #expect(try await create(OwnHost.url).refuses("audience"))
            #expect(try await create("\(OwnHost.url)/billing").refuses("audience"))
            #expect(try await create("\(OwnHost.url).evil.test").status == 201)
        }
    }

    @Test("a tenant that has lost 50 hosts in 30 days claims no other one; another tenant does")
    func lost() async throws {
        try await OwnHost.run { own in
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.platform.call("DELETE", "/tenants/acme/domains/\(id)").status == 204)
            let pool = own.platform.ownerPool
            func add(_ numbers: ClosedRange<Int>) async throws {
                for number in numbers {
                    _ = try await pool.run(
                        """
                        INSERT INTO lost_host (host, lost_by, lost_at)
                        SELECT \("lost-\(number).acme.test"), id, now() FROM tenant WHERE slug = 'acme'
                        """)
                }
            }
            try await add(1...48)
            let key = own.platform.acme.api_keys[0].secret
            func create(_ host: String) async throws -> TestBrowser.Answer {
                try await own.platform.call("POST", "/tenants/acme/domains", key: key, ["host": host])
            }
            #expect(try await create("one.acme.test").status == 201)
            try await add(49...49)
            let refused = try await create("two.acme.test")
            #expect(refused.problem == "conflict" && refused.body.contains("30 days"), "\(refused.status) \(refused.body)")
            #expect(try await own.create("two.acme.test").problem == "conflict")
            #expect(try await own.create("two.acme.test", of: "globex").status == 201)
            _ = try await pool.run("UPDATE lost_host SET lost_at = now() - interval '31 days' WHERE host = 'lost-1.acme.test'")
            #expect(try await create("two.acme.test").status == 201)
        }
    }

    @Test("a tenant sees the hosts that it has lost itself, and changes none")
    func isolation() async throws {
        try await OwnHost.unclaimed { own in
            _ = try await own.platform.ownerPool.run(
                "INSERT INTO lost_host (host, lost_by, lost_at) SELECT 'lost.' || slug || '.test', id, now() FROM tenant")
            for (tenant, slug) in [(own.platform.acme, "acme"), (own.platform.globex, "globex")] {
                let database = OwnerDatabase(own.platform.pool, tenant: try #require(ID<Tenant>(tenant.id)))
                let seen = try await database.run("SELECT host FROM lost_host").map { try $0.get("host", as: String.self) }
                #expect(seen == ["lost.\(slug).test"])
                #expect(try await database.run("DELETE FROM lost_host").affected == 0)
            }
            #expect(try await own.platform.count("lost_host") == 2)
        }
    }

    @Test("several tenants may claim a host, and a tenant claims it once")
    func squatting() async throws {
        try await OwnHost.unclaimed { own in
            let (first, other, again) = (try await own.create(), try await own.create(of: "globex"), try await own.create())
            #expect(first.status == 201 && other.status == 201 && again.problem == "conflict")
        }
    }

    @Test("an ended claim does not prevent another one, and a tenant has at most 20 domains")
    func limits() async throws {
        try await OwnHost.unclaimed { own in
            let first = try await own.create()
            try await own.set("expires_at = now() - interval '1 second'")
            #expect(try await own.verify(first.resourceID).problem == "conflict")
            let second = try await own.create()
            #expect(second.status == 201 && second.resourceID != first.resourceID)
            #expect(try await own.platform.auditTrail(of: "deleteDomain").map(\.subject) == [first.resourceID])
            for number in 2...20 { #expect(try await own.create("login-\(number).acme.test").status == 201) }
            #expect(try await own.create("login-21.acme.test").problem == "conflict")
            #expect(try await own.create("login-21.acme.test", of: "globex").status == 201)
        }
    }

    @Test("a key without the scope, and another tenant's key, create nothing")
    func permission() async throws {
        try await OwnHost.unclaimed { own in
            let (narrow, other) = (own.platform.acme.api_keys[1].secret, own.platform.globex.api_keys[0].secret)
            for (key, status) in [(narrow, 403), (other, 404)] {
                let answer = try await own.platform.call("POST", "/tenants/acme/domains", key: key, ["host": OwnHost.name])
                #expect(answer.status == status)
            }
            let count = try await own.platform.count("domain")
            #expect(count == 0)
        }
    }
}
