import Foundation
import Server
import TestSupport
import Testing

@Suite("Delete SSO domain")
struct DeleteSSODomainTests {
    @Test("a deleted domain leads nobody to the provider, and only its tenant deletes it")
    func deletes() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let listed = try await sso.platform.call("GET", "/tenants/acme/sso/domains")
                let id = try #require(listed.elements.first?["id"] as? String)
                let before = try await sso.enter("ada@customer.test", in: TestBrowser(sso.platform))
                #expect(before.body.contains(#"action="/account/sso"#))
                let foreign = try await sso.platform.call("DELETE", "/tenants/globex/sso/domains/\(id)")
                #expect(foreign.isProblem(404, "not_found"))
                let deleted = try await sso.platform.call("DELETE", "/tenants/acme/sso/domains/\(id)")
                #expect(deleted.status == 204)
                let after = try await sso.enter("ada@customer.test", in: TestBrowser(sso.platform))
                #expect(!after.body.contains(#"action="/account/sso"#))
                #expect(try await sso.platform.audit(id).map(\.action).contains("deleteSSODomain"))
            }
        }
    }
}
