import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("The page for the consent, after a reload, after Back, in two tabs and with other questions")
struct ConsentPageAgainTests {
    @Test("a consent from another tab counts at the next sign-in, and both pages continue")
    func otherTab() async throws {
        try await ThirdParty.run { platform, browser, request in
            let tab = TestBrowser.Request(platform.acme)
            let one = try await ThirdParty.page(browser, request, person: "Ada Lovelace")
            let two = try await ThirdParty.page(browser, tab, person: "Ada Lovelace")
            #expect(try await browser.redeem(try await browser.decide(.allow, on: one)["code"] ?? "", request).status == 200)
            #expect(try await browser.signIn(.init(platform.acme), person: "Ada Lovelace")["code"] != nil)
            #expect(try await browser.redeem(try await browser.decide(.allow, on: two)["code"] ?? "", tab).status == 200)
            #expect(try await platform.audited("consent.given").count == 1)
            // A refusal in one tab changes nothing for the other one.
            let last = try await ThirdParty.page(browser, tab, person: "Ada Lovelace", changing: ["prompt": "consent"])
            #expect(try await browser.decide(.refuse, on: last).reports(tab, "access_denied"))
            #expect(try await browser.signIn(.init(platform.acme), person: "Ada Lovelace")["code"] != nil)
        }
    }

    @Test("a reload of the page after Apple's response shows it again, without Apple, and only in its browser")
    func reloaded() async throws {
        try await ThirdParty.run { platform, browser, request in
            for state in ["s", String(repeating: "é", count: 2048)] {
                var same = request
                same.state = state
                let form = try await browser.atApple(try await browser.authorize(same), person: "Ada Lovelace")
                #expect(try await browser.callback(form).asksForConsent(setsCookies: true))
                let again = try await browser.callback(form)
                #expect(again.asksForConsent() && again.body.contains("Ada Lovelace"), "\(again.status) \(again.location ?? again.body)")
                let other = TestBrowser(platform)
                other.cookies = browser.cookies.filter { $0.key.hasSuffix("-q") }
                #expect(try await other.callback(form).isPage(400))
                let back = try await browser.decide(.allow, on: again)
                #expect(back["state"] == state)
                #expect(try await browser.redeem(try #require(back["code"]), same).status == 200)
                // Afterwards, neither a reload nor the page continues.
                #expect(try await browser.callback(form).body.contains("already finished"))
                #expect(try await browser.decide(.allow, on: again).body.contains("already finished"))
                browser.cookies = [:]
                _ = try await platform.ownerPool.run("DELETE FROM consent")
            }
            // A forged or foreign value is left out, and Apple refuses its own response.
            let form = try await browser.atApple(try await browser.authorize(request), person: "Ada Lovelace")
            _ = try await browser.callback(form)
            browser.cookies = browser.cookies.mapValues { $0.contains(".") ? "x" + $0 : $0 }
            #expect(try await browser.callback(form).reports(request, "server_error"))
        }
    }

    /// The result of Apple's sheet after the person went back to it from the page.
    enum Second: String, CaseIterable {
        case samePerson = "Ada Lovelace"
        case otherPerson = "Grace Hopper"
        case cancel
    }

    @Test("a person who goes back to Apple's sheet decides for the second sign-in, and not for the first", arguments: Second.allCases)
    func backAtApple(_ second: Second) async throws {
        try await ThirdParty.run { platform, browser, request in
            let toApple = try await browser.authorize(request)
            let first = try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace"))
            #expect(first.asksForConsent(setsCookies: true))
            let form = try await browser.atApple(toApple, person: second.rawValue)
            let page = try await browser.callback(form)
            guard second != .cancel else {
                #expect(page.reports(request, "access_denied"), "\(page.status) \(page.body)")
                #expect(browser.cookies.isEmpty)
                #expect(try await browser.decide(.allow, on: first).isPage(400))
                return
            }
            #expect(page.asksForConsent(setsCookies: true) && page.body.contains(second.rawValue), "\(page.status) \(page.body)")
            // A reload shows the page of the second sign-in.
            let again = try await browser.callback(form)
            #expect(again.asksForConsent() && again.body.contains(second.rawValue))
            let tokens = try await browser.redeem(try await browser.decide(.allow, on: page)["code"] ?? "", request)
            #expect(try claims(of: tokens.string("id_token"))["name"] as? String == second.rawValue)
            #expect(try await platform.count("consent") == 1)
            // The first page is finished, too, and another response of Apple does not end the sign-in.
            #expect(try await browser.decide(.allow, on: first).body.contains("already finished"))
            #expect(
                try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace")).body.contains("already finished"))
            #expect(try await browser.userInfo(tokens.string("access_token"), of: platform.acme).status == 200)
            #expect(try await platform.count("consent") == 1)
        }
    }

    @Test("consent and a name that are both missing are asked one after the other")
    func thenName() async throws {
        try await ThirdParty.run(["requires_name": true]) { platform, browser, request in
            var form = try await browser.atApple(try await browser.authorize(request), person: "Nemo")
            form["user"] = nil
            let question = try await browser.callback(form)
            #expect(question.asksForConsent(setsCookies: true), "\(question.status) \(question.location ?? question.body)")
            let page = try await browser.decide(.allow, on: question)
            #expect(page.asksForName(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            #expect(try await platform.count("consent") == 1)
            // The form again, and a reload of Apple's response, show the second page.
            #expect(try await browser.decide(.allow, on: question).asksForName(setsCookies: true))
            #expect(try await browser.callback(form).asksForName())
            // The form of one page is of no use to the other one.
            let fields = try #require(TestBrowser.AppleForm(html: page.body)).fields
            #expect(try await browser.post("\(request.tenant.issuer)/oauth2/consent", form: fields).isPage(400))
            let earlier = try #require(TestBrowser.AppleForm(html: question.body)).fields + [("given_name", "Eve")]
            #expect(try await browser.post("\(request.tenant.issuer)/oauth2/name", form: earlier).isPage(400))
            let login = try #require(TestBrowser.AppleForm(html: question.body)?["login"])
            #expect(try await browser.give("Eve", on: page, replacing: ["login": login]).isPage(400))

            let code = try #require(try await browser.give("Ada", "Lovelace", on: page)["code"])
            let token = try claims(of: try await browser.redeem(code, request).string("id_token"))
            #expect(token["name"] as? String == "Ada Lovelace")
            for page in [question, page] {
                #expect(try await browser.decide(.allow, on: page).isPage(400))
            }
            #expect(try await browser.signInWithoutName(.init(platform.acme), person: "Nemo")["code"] != nil)
        }
    }

    @Test("another Apple Account leads to Apple with the same request, and a page asks the other user, too")
    func otherAccount() async throws {
        try await ThirdParty.run { platform, browser, request in
            _ = try await browser.signInAndAllow(.init(platform.acme), person: "Grace Hopper")
            for prompt in ["consent", "login"] {
                let page = try await ThirdParty.page(browser, request, person: "Ada Lovelace", changing: ["prompt": prompt])
                let toApple = try await browser.decide(.otherAccount, on: page)
                #expect(toApple.status == 302 && toApple.location?.hasPrefix(platform.simulator.url) == true, "\(toApple.body)")
                var back = try await browser.callback(try await browser.atApple(toApple, person: "Grace Hopper"))
                // prompt=consent asks even a user who has allowed the application.
                #expect(back.asksForConsent(setsCookies: true) == (prompt == "consent"), "\(prompt) \(back.status)")
                if back.location == nil { back = try await browser.decide(.allow, on: back) }
                let tokens = try await browser.redeem(try #require(back["code"], "\(back.status) \(back.body)"), request)
                let claims = try claims(of: tokens.string("id_token"))
                #expect(claims["name"] as? String == "Grace Hopper" && claims["nonce"] as? String == request.nonce)
                browser.cookies = [:]
            }
            #expect(try await platform.count("consent") == 1)
        }
    }

    @Test("a browser with many cookies of sign-ins gets a mark instead of the question, and the form works")
    func crowded() async throws {
        try await ThirdParty.run { _, browser, request in
            let toApple = try await browser.authorize(request)
            let form = try await browser.atApple(toApple, person: "new")
            for number in 0..<3 {
                browser.cookies["__Host-espalier-aaaaaaaaaaa\(number)-0"] = String(repeating: "x", count: 2100)
            }
            let page = try await browser.callback(form)
            #expect(page.asksForConsent(setsCookies: true))
            #expect(browser.cookies.filter { $0.key.hasSuffix("-q") }.map(\.value) == ["asked"])
            let code = try #require(try await browser.decide(.allow, on: page)["code"])
            #expect(try await browser.redeem(code, request).status == 200)
            #expect(try await browser.callback(try await browser.atApple(toApple, person: "new")).body.contains("already finished"))
        }
    }
}
