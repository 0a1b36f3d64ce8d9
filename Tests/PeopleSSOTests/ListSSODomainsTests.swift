import Foundation
import Server
import TestSupport
import Testing

@Suite("List SSO domains")
struct ListSSODomainsTests {
    @Test("a tenant sees its own domains with their proofs, and no other tenant's")
    func own() async throws {
        try await SSOPlatform.run { sso in
            let created = try await sso.create()
            _ = try await sso.create("other.test", of: "globex")
            let listed = try await sso.platform.call("GET", "/tenants/acme/sso/domains")
            #expect(listed.status == 200, "\(listed.body)")
            #expect(listed.elements.map { $0["id"] as? String } == [created.resourceID])
            #expect(listed.body.contains("_espalier-sso.\(SSOPlatform.domain)"))
        }
    }
}
