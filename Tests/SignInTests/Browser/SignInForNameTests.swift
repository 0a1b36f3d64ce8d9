import Foundation
import NIOHTTP1
import Server
import Sessions
@testable import SignIn
import TestSupport
import Testing

@Suite("Another sign-in with Apple instead of a name")
struct SignInForNameTests {
    @Test("the button leads to Apple with the same request, and the application gets the code of the second sign-in")
    func again() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request, person: "Nemo")
            let toApple = try await browser.give("Eve", on: page, path: "/sign-in")
            #expect(toApple.status == 302 && toApple.location?.hasPrefix(platform.simulator.url) == true, "\(toApple.body)")
            let back = try await browser.callback(try await browser.atApple(toApple, person: "Grace Hopper"))
            #expect(back["state"] == request.state && back["iss"] == request.tenant.issuer)
            let tokens = try await browser.redeem(try #require(back["code"], "\(back.status) \(back.body)"), request)
            let claims = try claims(of: tokens.string("id_token"))
            #expect(claims["name"] as? String == "Grace Hopper" && claims["nonce"] as? String == request.nonce)
            #expect(tokens.string("scope") == request.scope)
            #expect(try await platform.countNameless() == 1)
            // The first page works, too.
            #expect(try await browser.give("Nemo", on: page)["code"] != nil)
        }
    }

    @Test("the second sign-in obeys max_age, and keeps the mode of the response")
    func request() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request, changing: ["max_age": "600", "response_mode": "form_post"])
            let toApple = try await browser.give("", on: page, path: "/sign-in")
            let attempt = try LoginAttempt(opening: try #require(toApple["state"]), with: platform.settings.keyring, at: Date())
            #expect(attempt.maxAge == 600 && attempt.responseMode == .form_post && attempt.state == request.state)
            #expect(attempt.codeChallenge == request.challenge && attempt.redirectURI == request.redirectURI)
        }
    }

    @Test("a form of another browser or site is refused with a page")
    func forged() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            #expect(try await TestBrowser(platform).give("", on: page, path: "/sign-in").isPage(400))
            let headers = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await browser.give("", on: page, path: "/sign-in", headers: headers).isPage(400))
        }
    }
}
