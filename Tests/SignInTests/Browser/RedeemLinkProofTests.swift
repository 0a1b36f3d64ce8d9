import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("Redeem a mailed link")
struct RedeemLinkProofTests {
    @Test("the Apple Account is linked, and the application gets a code of the account, with a record")
    func linked() async throws {
        try await Linking.runWithMail { linking, server in
            let platform = linking.platform
            try await platform.subscribe(platform.acme)
            let page = try await linking.openLink(by: server)
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https:;") == true)
            let back = try await linking.browser.press(page)
            #expect(back["state"] == linking.request.state && back["iss"] == platform.acme.issuer)
            let tokens = try await linking.browser.redeem(back["code"] ?? "", linking.request)
            let claims = try TestSupport.claims(of: tokens.string("id_token"))
            #expect(claims["sub"] as? String == linking.owner.user && claims["email"] as? String == linking.address)
            #expect(claims["nonce"] as? String == linking.request.nonce)
            #expect(linking.browser.cookies.isEmpty)
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await linking.identities() == 2)
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL") == 0)
            // The user has a name, so the one of the second Apple Account does not replace it.
            #expect(try await platform.user(linking.owner.user)?.givenName == "First")
            for person in [linking.first, linking.second] { #expect(try await platform.login(person).user == linking.owner.user) }

            #expect(try await platform.events("user.created").isEmpty)
            #expect(try await platform.events("user.identity_added").map { $0["user_id"] as? String } == [linking.owner.user])
            #expect(try await platform.audited("linkIdentity").map(\.subject) == [linking.owner.user])
            #expect(try await platform.audited("linkIdentity").map(\.actor) == [linking.request.application.client_id])
        }
    }

    @Test("the name of the second sign-in is kept, if the user has none")
    func name() async throws {
        try await Linking.runWithMail { linking, server in
            _ = try await linking.platform.ownerPool.run("UPDATE tenant_user SET given_name = NULL, family_name = NULL")
            #expect(try await linking.user(linking.browser.press(linking.openLink(by: server))) == linking.owner.user)
            let user = try #require(try await linking.platform.user(linking.owner.user))
            #expect(user.givenName == "Second" && user.familyName == "Owner")
        }
    }

    @Test("an application that requires a name asks for it afterwards, also after a reload, and no cookie of the proof stays")
    func requiredName() async throws {
        try await Linking.runWithMail { linking, server in
            _ = try await linking.elsewhere.page()
            let client = linking.request.application.client_id
            let changed = try await linking.platform.call("PATCH", "/tenants/acme/applications/\(client)", ["requires_name": true])
            #expect(changed.status == 200)
            linking.platform.installation.directory.forgetAll(isFresh: true)
            _ = try await linking.platform.ownerPool.run("UPDATE tenant_user SET given_name = NULL, family_name = NULL")
            let page = try await linking.openLink(by: server)
            for _ in 0..<2 {
                let asked = try await linking.browser.press(page)
                #expect(asked.isPage(200, setsCookies: true), "\(asked.status) \(asked.location ?? "")")
                #expect(asked.body.contains("given_name"))
                #expect(!linking.browser.cookies.contains { $0.key.hasSuffix("-a") })
            }
            let asked = try await linking.browser.press(page)
            let named = try await linking.browser.press(asked, replacing: ["given_name": "Sam", "family_name": ""])
            #expect(try await linking.user(named) == linking.owner.user)
            #expect(try await linking.platform.user(linking.owner.user)?.givenName == "Sam")
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("the same form twice links once, and gets two codes of one sign-in")
    func repeated() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.openLink(by: server)
            let cookies = linking.browser.cookies
            let one = try await linking.browser.press(page)
            #expect(try await linking.browser.press(page).isPage(400))
            // The response was lost, so the browser still has its cookies.
            linking.browser.cookies = cookies
            let two = try await linking.browser.press(page)
            #expect(one["code"] != nil && two["code"] != nil, "\(two.status) \(two.body)")
            #expect(try await linking.user(two) == linking.owner.user)
            #expect(try await linking.browser.redeem(one["code"] ?? "", linking.request).isOAuthError(400, "invalid_grant"))
            linking.browser.cookies = cookies
            let late = try await linking.browser.press(page)
            #expect(late.isPage(400) && late.body.contains("already finished"), "\(late.status) \(late.body)")
            #expect(try await linking.identities() == 2)
            #expect(try await linking.platform.audited("linkIdentity").count == 1)
        }
    }

    @Test("two presses at the same moment link once")
    func atOnce() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.openLink(by: server)
            let presses = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                let cookies = linking.browser.cookies
                for _ in 0..<2 {
                    let browser = TestBrowser(linking.platform)
                    browser.cookies = cookies
                    tasks.addTask { try await browser.press(page) }
                }
                return try await tasks.reduce(into: [TestBrowser.Answer]()) { $0.append($1) }
            }
            #expect(presses.allSatisfy { $0["code"] != nil }, "\(presses.map { $0.location ?? $0.body })")
            #expect(try await linking.platform.audited("linkIdentity").count == 1)
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("each of several mails of one sign-in works, also the first one")
    func severalMails() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.page()
            let first = try await linking.mail(from: page, by: server)
            _ = try await linking.mail(from: page, by: server)
            let asking = try await linking.browser.get(first.link)
            #expect(try await linking.user(linking.browser.press(asking)) == linking.owner.user)
        }
    }

    @Test("a person who asked for a mail can still choose the other ways, and no cookie stays")
    func otherWays() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.page()
            _ = try await linking.mail(from: page, by: server)
            #expect(try await linking.user(linking.link(page)) == linking.owner.user)
            #expect(linking.browser.cookies.isEmpty, "\(linking.browser.cookies.keys)")
        }
        try await Linking.runWithMail { linking, server in
            let page = try await linking.page()
            let link = try await linking.mail(from: page, by: server).link
            #expect(try await linking.user(linking.browser.press(page, "/separate")) != linking.owner.user)
            #expect(linking.browser.cookies.isEmpty)
            #expect(try await linking.browser.get(link).isPage(400))
        }
    }

    @Test("with single sign-on, the browser is signed in as the linked user")
    func singleSignOn() async throws {
        try await Linking.runWithMail(["single_sign_on": true]) { linking, server in
            #expect(try await linking.user(linking.browser.press(linking.openLink(by: server))) == linking.owner.user)
            var other = linking.request
            other.application = linking.platform.acme.applications[1]
            let silent = try await linking.browser.get(other.authorizeURL(changing: ["prompt": "none"]))
            let tokens = try await linking.browser.redeem(silent["code"] ?? "", other)
            #expect(try claims(of: tokens.string("id_token"))["sub"] as? String == linking.owner.user)
        }
    }

    @Test("after a change, the name waits for the next sign-in with the same Apple Account")
    func keepsName() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.openLink(by: server)
            #expect(try await linking.platform.call("DELETE", "/tenants/acme/users/\(linking.owner.user)").status == 204)
            let answer = try await linking.browser.press(page)
            #expect(answer.isPage(400, setsCookies: true), "\(answer.status) \(answer.body)")
            #expect(!answer.headers["Set-Cookie"].contains { $0.contains("Second") })
            let user = try await linking.user(linking.browser.signIn(linking.request, person: linking.second))
            #expect(try await linking.platform.user(user)?.givenName == "Second")
        }
    }

    @Test("the end of all tokens of the tenant between the page and the form prevents the link, and nobody is signed in")
    func tokensEnded() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.openLink(by: server)
            #expect(try await linking.platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme").status == 200)
            let answer = try await linking.browser.press(page)
            #expect(answer.status == 400 && answer.body.contains("nothing was connected"), "\(answer.status) \(answer.body)")
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.audited("linkIdentity").isEmpty)
            #expect(try await linking.platform.count("session", where: "ended_at IS NULL") == 0)
        }
    }
}
