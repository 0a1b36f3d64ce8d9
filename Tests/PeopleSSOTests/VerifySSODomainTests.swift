import Foundation
import Server
import TestSupport
import Testing

@Suite("Verify SSO domain")
struct VerifySSODomainTests {
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
}
