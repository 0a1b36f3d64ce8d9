import Foundation
import Server
import TestSupport
import Testing

@Suite("Check SSO")
struct CheckSSOTests {
    @Test("a ready provider has no failure, and others are named with the step and the field, without the secret")
    func checks() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run { sso in
                #expect(try await sso.platform.call("POST", "/tenants/acme/sso/check").isProblem(404, "not_found"))
                _ = try await sso.set(provider.issuer)
                let ready = try await sso.platform.call("POST", "/tenants/acme/sso/check")
                #expect(ready.status == 200 && ready.json["is_ready"] as? Bool == true, "\(ready.body)")
                _ = try await sso.set(provider.issuer, secret: "wrong")
                let wrong = try await sso.platform.call("POST", "/tenants/acme/sso/check")
                #expect(wrong.json["is_ready"] as? Bool == false && wrong.body.contains("client_secret") && !wrong.body.contains("wrong"))
                provider.change(.init(document: ["issuer": "https://other.test"]))
                let other = try await sso.platform.call("POST", "/tenants/acme/sso/check")
                #expect(other.body.contains(#""field":"issuer""#) && !other.body.contains("other.test"), "\(other.body)")
            }
        }
    }

    @Test("a tenant can check 10 times per minute")
    func limits() async throws {
        try await SSOPlatform.run({ $0.allowsPrivateWebhooks = false }) { sso in
            _ = try await sso.set("https://login.customer.test")
            for _ in 1...10 { #expect(try await sso.platform.call("POST", "/tenants/acme/sso/check").status == 200) }
            #expect(try await sso.platform.call("POST", "/tenants/acme/sso/check").status == 429)
        }
    }
}
