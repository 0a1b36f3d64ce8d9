import Foundation
import Server
import TestSupport
import Testing

@Suite("Get SSO")
struct GetSSOTests {
    @Test("a tenant sees its own provider, without the secret, and no other tenant's")
    func own() async throws {
        try await SSOPlatform.run { sso in
            let set = try await sso.set("https://login.customer.test")
            let shown = try await sso.platform.call("GET", "/tenants/acme/sso")
            #expect(shown.status == 200 && shown.string("id") == set.string("id"), "\(shown.body)")
            #expect(!shown.body.contains(FakeProvider.secret))
            let other = try await sso.platform.call("GET", "/tenants/globex/sso")
            #expect(other.isProblem(404, "not_found"))
        }
    }
}
