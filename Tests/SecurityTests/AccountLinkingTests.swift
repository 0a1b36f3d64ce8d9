import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// An attacker wants to become another user, or to get another person's Apple Account into the attacker's user.
@Suite("Attack: linking of accounts")
struct AccountLinkingTests {
    @Test("an address that only looks the same leads to no question and to no link")
    func lookalikes() async throws {
        try await TestPlatform.run { platform in
            typealias Change = [(String, (any Sendable)?)]
            let cases: [(String, victim: Change, attacker: Change)] = [
                ("unverified", [], [("email_verified", false)]), ("unsaid", [], [("email_verified", nil)]),
                ("relay", [], [("is_private_email", true)]),
                ("relayed", [("email", "r1@privaterelay.appleid.com")], [("email", "r1@PrivateRelay.appleid.com")]),
                ("loud", [], [("email", platform.address("loud").uppercased())]), ("addressless", [], [("email", nil)]),
                ("accent", [("email", "e@example.com")], [("email", "e\u{301}@example.com")]),
                ("kelvin", [("email", "k@example.com")], [("email", "\u{212A}@example.com")]),
                ("joiner", [("email", "j@example.com")], [("email", "j\u{200D}@example.com")]),
                ("sign", [("email", "s@example.com")], [("email", "s@\u{600}example.com")]),
                ("wasunverified", [("email_verified", false)], []), ("wasrelay", [("is_private_email", true)], []),
            ]
            for (name, victim, attacker) in cases {
                let address = platform.address(name)
                let one = try await platform.makePerson("\(name) victim", email: address)
                let two = try await platform.makePerson("\(name) attacker", email: address)
                for (claim, value) in victim { try await platform.claim(claim, value) }
                let user = try await platform.login(one).user
                for (claim, value) in attacker { try await platform.claim(claim, value) }
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let back = try await browser.signIn(request, person: two)
                let tokens = try await browser.redeem(try #require(back["code"], "\(name) \(back.status)"), request)
                #expect(try claims(of: tokens.string("access_token"))["sub"] as? String != user, "\(name)")
            }
            #expect(try await platform.count("identity") == 2 * cases.count)
            #expect(try await platform.count("tenant_user") == 2 * cases.count)
        }
    }

    @Test("an address of two users, and one of a deleted user, lead to no question")
    func ambiguous() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            let third = try await platform.makePerson("Third Owner", email: linking.address)
            _ = try await linking.user(linking.browser.press(linking.page(), "/separate"))
            #expect(try await linking.with(second: third).signIn()["code"] != nil)
            _ = try await platform.ownerPool.run("UPDATE tenant_user SET deleted_at = now(), erase_after = now() + interval '1 day'")
            let fourth = try await platform.makePerson("Fourth Owner", email: linking.address)
            #expect(try await TestBrowser(platform).signIn(linking.request, person: fourth)["code"] != nil)
        }
    }

    @Test("any change between the page and the sign-in prevents the link")
    func changedMeanwhile() async throws {
        for (number, change) in Linking.changesThatPrevent.enumerated() {
            try await Linking.run { linking in
                let page = try await linking.page()
                let toApple = try await linking.browser.press(page)
                try await change(linking)
                // Apple vouches for the address that the user has now.
                if number == 0 { try await linking.platform.claim("email", "new@example.com") }
                if number == 1 { try await linking.platform.claim("email_verified", false) }
                if number == 2 { try await linking.platform.claim("is_private_email", true) }
                let form = try await linking.browser.atApple(toApple, person: linking.first)
                let back = try await linking.browser.callback(form)
                #expect(back["link"] == "failed", "\(number)")
                #expect(try await linking.user(back) == linking.owner.user, "\(number)")
                #expect(try await linking.identities() == 1, "\(number)")
                #expect(try await linking.platform.audited("linkIdentity").isEmpty, "\(number)")
                // The name waits for the next sign-in with the other Apple Account, because Apple does not send it again.
                #expect(linking.browser.cookies.keys.map { $0.hasSuffix("-n") } == [true], "\(number)")
                guard number == 3 else { return }
                let user = try await linking.user(linking.browser.signIn(linking.request, person: linking.second))
                #expect(try await linking.platform.call("GET", "/tenants/acme/users/\(user)").string("given_name") == "Second")
            }
        }
    }

    @Test("a candidate that was deleted is not linked, and the person is a new user")
    func deletedMeanwhile() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            #expect(try await linking.platform.call("DELETE", "/tenants/acme/users/\(linking.owner.user)").status == 204)
            // The deletion ends the consent at Apple, and with it a sign-in that is in progress there.
            try await eventually("Apple knows of the deletion") { try await linking.platform.count("outbox") == 0 }
            let user = try await linking.user(try await linking.link(page))
            #expect(user != linking.owner.user)
            #expect(try await linking.platform.count("identity") == 1)
        }
    }

    @Test("a form of another site, and a page in another browser, decide nothing")
    func forged() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            for path in ["", "/separate"] {
                for headers in [
                    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                    [("Origin", "null")],
                ] { #expect(try await linking.browser.press(page, path, headers: headers).isPage(400), "\(path) \(headers)") }
                #expect(try await linking.elsewhere.browser.press(page, path).isPage(400))
                // A browser with an attempt of its own.
                let other = linking.elsewhere
                _ = try await other.browser.authorize(other.request)
                #expect(try await other.browser.press(page, path).isPage(400))
                for field in ["attempt", "ticket"] {
                    for value in [nil, "", "x", "\u{301}"] as [String?] {
                        #expect(try await linking.browser.press(page, path, replacing: [field: value]).isPage(400), "\(field)")
                    }
                }
            }
            #expect(try await linking.platform.count("identity") == 1)
        }
    }

    @Test("a ticket counts only for its own sign-in, page and tenant")
    func moved() async throws {
        try await Linking.run { linking in
            let (one, two) = (try await linking.page(), try await linking.page())
            let form = try #require(TestBrowser.AppleForm(html: two.body))
            for path in ["", "/separate"] {
                #expect(try await linking.browser.press(one, path, replacing: ["ticket": form["ticket"]]).isPage(400))
                #expect(try await linking.browser.press(one, path, replacing: ["attempt": form["attempt"]]).isPage(400))
                let foreign = try await linking.browser.post(
                    "\(linking.platform.globex.issuer)/oauth2/link\(path)", form: form.fields)
                #expect(foreign.isPage(400))
            }
            // The cookie of one sign-in, planted under the name of another one.
            let toApple = try await linking.browser.press(one)
            let planted = try #require(linking.browser.cookies.first { $0.key.hasSuffix("-w") })
            let victim = TestBrowser(linking.platform)
            let attempt = try await victim.authorize(linking.request)
            let name = try #require(victim.cookies.keys.first)
            victim.cookies["\(name)-w"] = planted.value
            let back = try await victim.callback(try await victim.atApple(attempt, person: linking.first))
            #expect(back["code"] != nil)
            #expect(try await linking.identities() == 1)
            _ = toApple
        }
    }

    @Test("an Apple Account that was removed is asked again, and an old page cannot bring it back")
    func afterRemoval() async throws {
        try await Linking.run { linking in
            let other = linking.elsewhere
            let old = try await other.page()
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let details = try await linking.platform.call("GET", "/tenants/acme/users/\(linking.owner.user)")
            let identities = details.json["identities"] as? [[String: any Sendable]]
            let second = try #require(identities?.last?["id"] as? String)
            let path = "/tenants/acme/users/\(linking.owner.user)/identities/\(second)"
            #expect(try await linking.platform.call("DELETE", path).status == 204)
            // A revocation during the sign-in would end it.
            try await eventually("Apple has confirmed it") { try await linking.platform.audited("revokeAtApple").count == 1 }
            let again = try await linking.elsewhere.signIn()
            #expect(linking.asks(again), "\(again.status) \(again.location ?? again.body)")
            #expect(try await other.user(other.link(old)) == linking.owner.user)
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("an application of a third party links by the person's own sign-in to the other account, and gets no silent sign-in for it")
    func thirdParty() async throws {
        try await Linking.run(["single_sign_on": true], application: 2) { linking in
            try await linking.makeThirdParty(linking.request.application.client_id)
            // The owner has not signed in to this application. Apple asks, and then the browser is signed in for it.
            let page = try await linking.page()
            #expect(!page.body.contains("First"))
            let question = try await linking.link(page)
            #expect(question.asksForConsent(setsCookies: true), "\(question.status) \(question.location ?? question.body)")
            #expect(try await linking.platform.count("consent") == 0)
            #expect(try await linking.user(linking.browser.decide(.allow, on: question)) == linking.owner.user)
            // Another application of a third party, which the person has not allowed.
            var other = TestBrowser.Request(linking.platform.acme, application: 1)
            try await linking.makeThirdParty(other.application.client_id)
            other.state = "other"
            let silent = try await linking.browser.get(other.authorizeURL(changing: ["prompt": "none"]))
            #expect(silent["error"] == "consent_required" && silent["code"] == nil, "\(silent.location ?? silent.body)")
            #expect(try await linking.platform.count("session", where: "is_silent") == 0)
        }
    }

    @Test("an application of a third party gets no separate user without consent")
    func thirdPartySeparate() async throws {
        try await Linking.run(application: 2) { linking in
            try await linking.makeThirdParty(linking.request.application.client_id)
            let question = try await linking.browser.press(try await linking.page(), "/separate")
            #expect(question.asksForConsent(setsCookies: true), "\(question.status) \(question.location ?? question.body)")
            let refused = try await linking.browser.decide(.refuse, on: question)
            #expect(refused.reports(linking.request, "access_denied") && linking.browser.cookies.isEmpty)
            #expect(try await linking.browser.decide(.allow, on: question).isPage(400))
            #expect(try await linking.platform.count("consent") == 0)
        }
    }

    @Test("an application of a third party neither reads, adds nor removes identities, nor deletes the user")
    func applicationOfThirdParty() async throws {
        try await Linking.run { linking in
            let id = try #require(try await linking.own("GET").ids.first)
            let (result, url) = (try await linking.confirm(), try await linking.requestAddress())
            let page = try await linking.confirmation(at: try await linking.requestAddress())
            try await linking.makeThirdParty(linking.owner.request.application.client_id)
            let body = ["redirect_uri": linking.request.redirectURI]
            for answer in [
                try await linking.own("GET"), try await linking.own("POST", "", body), try await linking.complete(result),
                try await linking.own("DELETE", "/\(id)"),
                try await linking.platform.deleteOwnUser(linking.owner.access, of: linking.platform.acme),
            ] { #expect(answer.isOAuthError(403, "insufficient_scope"), "\(answer.status) \(answer.body)") }
            // It became one after the request, and after the page.
            #expect(try await linking.elsewhere.browser.get(url)["error"] == "access_denied")
            let back = try await linking.browser.press(page)
            #expect(back["error"] == "access_denied" && back["result"] == nil)
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("an address, a page or a result that leaks adds nothing for the attacker who has it")
    func leaked() async throws {
        try await Linking.run(["account_linking": "off"]) { linking in
            // The attacker opens the victim's address, with the attacker's Apple Account and browser.
            let url = try await linking.requestAddress()
            let attacker = linking.elsewhere
            let login = try await linking.platform.login(linking.second)
            let back = try await attacker.browser.press(try await attacker.confirmation(at: url))
            let result = try #require(back["result"])
            #expect(try await linking.complete(result, token: login.access).isProblem(400, "invalid"))
            #expect(try await linking.identities() == 1)
            #expect(try await linking.identities(of: login.user) == 1)
        }
    }

    @Test("forms of one page cost a bounded number of statements")
    func flood() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            let cookies = linking.browser.cookies
            var refused = 0
            for _ in 0..<8 {
                linking.browser.cookies = cookies
                if try await linking.browser.press(page, "/separate")["error"] == "temporarily_unavailable" { refused += 1 }
            }
            #expect(refused >= 3)
            #expect(try await linking.platform.count("tenant_user") == 2)
        }
    }
}

extension Linking {
    /// Marks an application of Acme as one of a third party.
    func makeThirdParty(_ client: String) async throws {
        let changed = try await platform.call("PATCH", "/tenants/acme/applications/\(client)", ["is_third_party": true])
        try #require(changed.status == 200, "\(changed.body)")
        platform.installation.directory.forgetAll(isFresh: true)
    }
}
