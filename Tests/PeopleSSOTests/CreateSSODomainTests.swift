import Foundation
import Server
import TestSupport
import Testing

@Suite("Create SSO domain")
struct CreateSSODomainTests {
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
}
