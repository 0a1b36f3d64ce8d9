import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Sign-in with another Apple Account")
struct SignInForConsentTests {
    @Test("the button leads to Apple, and then a page asks the other user")
    func otherAccount() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let ada = try await sso.signIn()
            let (page, request) = try await sso.ask(at: 2)
            let toApple = try await sso.decide(.otherAccount, page)
            #expect(toApple.status == 302 && sso.goesToApple(toApple))
            let back = try await sso.browser.callback(try await sso.browser.atApple(toApple, person: "Grace Hopper"))
            #expect(back.asksForConsent(setsCookies: true) && back.body.contains("Grace Hopper"), "\(back.status) \(back.body)")
            #expect(try await sso.platform.count("consent") == 0)
            let grace = try await sso.login(try await sso.decide(.allow, back), request)
            #expect(grace.user != ada.user && grace.claims["nonce"] as? String == request.nonce)
            #expect(try await sso.signInSilently(at: 2).user == grace.user)
            #expect(try await sso.consents(of: ada.user).isEmpty)
        }
    }

    @Test("a form of another browser is refused with a page")
    func forged() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            #expect(try await sso.elsewhere.decide(.otherAccount, try await sso.ask(at: 2).answer).isPage(400))
        }
    }
}
