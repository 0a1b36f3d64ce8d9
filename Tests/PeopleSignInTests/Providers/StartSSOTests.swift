import Foundation
import Server
import TestSupport
import Testing

@Suite("Start SSO")
struct StartSSOTests {
    @Test("the page leads to the provider with PKCE, a state and the address, and the attempt is in a cookie of the browser")
    func leads() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let browser = TestBrowser(sso.platform)
                let url = try await sso.start("ada@customer.test", in: browser)
                #expect(url.hasPrefix(provider.issuer), "\(url)")
                for part in ["code_challenge_method=S256", "state=", "nonce=", "login_hint=ada%40customer.test"] {
                    #expect(url.contains(part), "\(part): \(url)")
                }
                #expect(!browser.cookies.keys.contains("__Host-espalier-account"))
            }
        }
    }

    @Test("an address without a provider leads back to the sign-in")
    func unknown() async throws {
        try await SSOPlatform.run { sso in
            let browser = TestBrowser(sso.platform)
            let page = try await sso.enter("ada@other.test", in: browser)
            let back = try await browser.post(
                "\(SSOPlatform.root)/account/sso", form: [("csrf", try SSOPlatform.csrf(page)), ("email", "ada@other.test")])
            #expect(back.status == 303 && back.location == "/account/sign-in", "\(back.status) \(back.body)")
        }
    }
}
