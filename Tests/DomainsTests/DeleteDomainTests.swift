import Domains
import Foundation
import Server
import TestSupport
import Testing

@Suite("Delete domain")
struct DeleteDomainTests {
    @Test("a deleted domain no longer serves the tenant, switches the old address on, and is free for another tenant")
    func deletes() async throws {
        try await OwnHost.run { own in
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.change(id, ["is_primary": true, "is_exclusive": true]).status == 200)
            let discovery = "/.well-known/openid-configuration"
            #expect(try await own.browser().get("\(own.platform.acme.issuer)\(discovery)").status == 404)
            #expect(
                try await own.platform.call("DELETE", "/tenants/globex/domains/\(id)").status == 404)
            #expect(try await own.platform.call("DELETE", "/tenants/acme/domains/\(id)").status == 204)
            try await eventually("the server knows it") {
                try await own.browser().get("\(OwnHost.url)\(discovery)").status == 404
            }
            try await eventually("the old address is on") {
                try await own.browser().get("\(own.platform.acme.issuer)\(discovery)").status == 200
            }
            #expect(try await own.platform.auditTrail(of: "deleteDomain").map(\.subject) == [id])
            // The host does not become a name of the whole server, for a year.
            for (days, status) in [(0.0, 404), (364, 404), (366, 200)] {
                try await own.platform.installation.domainUpkeep.pass(at: Date() + days * 86_400)
                try await own.settle()
                let found = try await RawRequest.status("/t/globex\(discovery)", "Host: \(OwnHost.name)", to: own.platform)
                #expect(found == status, "\(days)")
            }
            #expect(try await own.state(own.activate(OwnHost.name, of: "globex"), of: "globex") == "active")
        }
    }
}
