import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("Sign in to link")
struct SignInToLinkTests {
    @Test("a first sign-in with another user's address asks; a sign-in to that user links both Apple Accounts, with a record")
    func linked() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            try await platform.subscribe(platform.acme)
            let page = try await linking.page()
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https:;") == true)
            for text in [linking.address, "Sign in to that account", "Create a separate account"] {
                #expect(page.body.contains(text), "\(text)")
            }
            // It tells nothing about the other user.
            for text in ["First", linking.owner.user, "<script"] { #expect(!page.body.contains(text), "\(text)") }
            // Nothing is stored until the decision.
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await platform.count("identity") == 1)

            let back = try await linking.link(page)
            #expect(back["state"] == linking.request.state && back["iss"] == platform.acme.issuer && back["link"] == nil)
            #expect(try await linking.user(back) == linking.owner.user)
            #expect(linking.browser.cookies.isEmpty)
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await linking.identities() == 2)
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL") == 0)
            // The user has a name, so the one of the second Apple Account does not replace it.
            #expect(try await platform.user(linking.owner.user)?.givenName == "First")
            for person in [linking.first, linking.second, linking.second] {
                #expect(try await platform.login(person).user == linking.owner.user)
            }

            #expect(try await platform.events("user.created").isEmpty)
            let added = try await platform.events("user.identity_added")
            #expect(added.map { $0["user_id"] as? String } == [linking.owner.user])
            let audited = try await platform.audited("linkIdentity")
            #expect(audited.map(\.subject) == [linking.owner.user])
            #expect(audited.map(\.actor) == [linking.request.application.client_id])
            #expect(audited.first?.after["identity_id"] as? String == added.first?["identity_id"] as? String)
            for secret in ["both-", "owner", "example.com"] { #expect(audited.first?.text.lowercased().contains(secret) == false) }
        }
    }

    @Test("the name of the second sign-in is kept, if the user has none")
    func name() async throws {
        try await Linking.run { linking in
            _ = try await linking.platform.ownerPool.run("UPDATE tenant_user SET given_name = NULL, family_name = NULL")
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let user = try #require(try await linking.platform.user(linking.owner.user))
            #expect(user.givenName == "Second" && user.familyName == "Owner")
        }
    }

    @Test("a person who leaves the page is asked again")
    func abandoned() async throws {
        try await Linking.run { linking in
            _ = try await linking.elsewhere.page()
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("the mistakes that people make lead to the page again, and the name that Apple sends once is kept")
    func mistakes() async throws {
        // The same Apple Account again, Cancel, and an Apple Account of a third user.
        for person in ["second", "cancel", "third"] {
            try await Linking.run { linking in
                let third = try await linking.platform.login(try await linking.platform.makePerson("Third Owner")).user
                let people = ["second": linking.second, "third": "third-owner-\(linking.platform.own.team.lowercased())"]
                let again = try await linking.link(try await linking.page(), as: people[person] ?? person)
                #expect(linking.asks(again) && again.body.contains(linking.address), "\(person) \(again.status) \(again.body)")
                #expect(try await linking.platform.count("identity") == 2)
                let other = linking.elsewhere
                let user = try await linking.user(linking.browser.press(again, "/separate"))
                #expect(user != linking.owner.user && user != third, "\(person)")
                let stored = try #require(try await linking.platform.user(user))
                #expect(stored.givenName == "Second" && stored.familyName == "Owner", "\(person)")
                #expect(linking.browser.cookies.isEmpty, "\(person)")
                #expect(try await other.signIn()["code"] != nil)
            }
            try await Linking.run { linking in
                _ = try await linking.platform.login(try await linking.platform.makePerson("Third Owner"))
                let people = ["second": linking.second, "third": "third-owner-\(linking.platform.own.team.lowercased())"]
                let again = try await linking.link(try await linking.page(), as: people[person] ?? person)
                #expect(try await linking.user(linking.link(again)) == linking.owner.user, "\(person)")
                #expect(try await linking.identities() == 2)
            }
        }
    }

    @Test("a person who goes back in the browser can still create a separate account")
    func back() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            _ = try await linking.browser.atApple(try await linking.browser.press(page), person: linking.first)
            let user = try await linking.user(linking.browser.press(page, "/separate"))
            #expect(user != linking.owner.user)
            #expect(try await linking.platform.user(user)?.givenName == "Second")
        }
    }

    @Test("a browser that reloads the page repeats Apple's response, and shows the page again; the name is kept")
    func reloaded() async throws {
        try await Linking.run { linking in
            let form = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            for _ in 0..<3 { #expect(linking.asks(try await linking.browser.callback(form))) }
            // The same after a mistake. Cancel has no code.
            let page = try await linking.browser.callback(form)
            let cancel = try await linking.browser.atApple(try await linking.browser.press(page), person: "cancel")
            for _ in 0..<2 { #expect(linking.asks(try await linking.browser.callback(cancel))) }
            let again = try await linking.browser.callback(cancel)
            let user = try await linking.user(linking.browser.press(again, "/separate"))
            #expect(user != linking.owner.user && linking.browser.cookies.isEmpty, "\(linking.browser.cookies.keys)")
            #expect(try await linking.platform.user(user)?.givenName == "Second")
            // The response of another browser, or of an attempt that has ended, is of no use.
            #expect(try await linking.browser.callback(form).isPage(400))
        }
    }

    @Test("a person who goes back to Apple's sheet from the page is asked again, cancels, or signs in as the other user; nothing is linked")
    func backToApple() async throws {
        for person in ["second", "cancel", "first"] {
            try await Linking.run { linking in
                let toApple = try await linking.browser.authorize(linking.request)
                let page = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
                try #require(linking.asks(page))
                let people = ["second": linking.second, "first": linking.first]
                let form = try await linking.browser.atApple(toApple, person: people[person] ?? person)
                let back = try await linking.browser.callback(form)
                switch person {
                case "second":
                    #expect(linking.asks(back))
                    let user = try await linking.user(linking.browser.press(back, "/separate"))
                    #expect(try await linking.platform.user(user)?.givenName == "Second")
                case "first":
                    #expect(try await linking.user(back) == linking.owner.user && back["link"] == nil)
                default:
                    #expect(back["error"] == "access_denied" && back["state"] == linking.request.state)
                }
                #expect(linking.browser.cookies.isEmpty, "\(person) \(linking.browser.cookies.keys)")
                #expect(try await linking.identities() == 1)
            }
        }
    }

    @Test("a person who goes back to Apple's sheet from the second page still links what they agreed to")
    func backToAppleAfterMistake() async throws {
        try await Linking.run { linking in
            let toApple = try await linking.browser.press(try await linking.page())
            let again = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: "cancel"))
            try #require(linking.asks(again))
            let back = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.first))
            #expect(try await linking.user(back) == linking.owner.user && back["link"] == nil)
            #expect(try await linking.identities() == 2 && linking.browser.cookies.isEmpty)
        }
    }

    @Test("after a link that failed, the name waits while a page asks about the application, and after its refusal")
    func keptBesideQuestion() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            try await linking.platform.set(["account_linking": "off"])
            let path = "/tenants/acme/applications/\(linking.request.application.client_id)"
            try #require(try await linking.platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            linking.platform.installation.directory.forgetAll(isFresh: true)
            let form = try await linking.browser.atApple(try await linking.browser.press(page), person: linking.first)
            let asked = try await linking.browser.callback(form)
            #expect(asked.asksForConsent(setsCookies: true), "\(asked.status) \(asked.location ?? asked.body)")
            func endings() -> [String] { linking.browser.cookies.keys.map { String($0.suffix(2)) }.filter { $0.hasPrefix("-") }.sorted() }
            #expect(endings() == ["-n", "-q"])
            let again = try await linking.browser.callback(form)
            #expect(again.asksForConsent() && endings() == ["-n", "-q"], "\(again.status) \(again.location ?? again.body)")
            let refused = try await linking.browser.decide(.refuse, on: asked)
            #expect(refused["error"] == "access_denied" && endings() == ["-n"], "\(refused.status) \(refused.location ?? refused.body)")
        }
    }

    @Test("if another tab removed the identity that waits, the application learns that nothing was linked")
    func cookieGone() async throws {
        try await Linking.run { linking in
            let toApple = try await linking.browser.press(try await linking.page())
            let name = try #require(linking.browser.cookies.keys.first { $0.hasSuffix("-w") })
            linking.browser.cookies[name] = nil
            let back = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.first))
            #expect(back["link"] == "failed" && back["state"] == linking.request.state)
            #expect(try await linking.user(back) == linking.owner.user)
            #expect(try await linking.identities() == 1)
        }
    }

    @Test(
        "if Apple does not redeem the code of a first sign-in, the name waits in the browser for the next one",
        arguments: ["never", "always"])
    func outage(page: String) async throws {
        try await Linking.run { linking in
            try await linking.platform.set(["sign_in_page": page])
            let own: [String: any Sendable] = ["endpoint": "token", "client_id": linking.platform.own.servicesID, "times": 1]
            try await linking.platform.simulator.fault(own.merging(["fault": "status", "status": 503]) { $1 })
            func signIn(_ person: String, in browser: TestBrowser) async throws -> TestBrowser.Answer {
                let url = linking.request.authorizeURL(changing: ["provider": "apple"])
                return try await browser.callback(try await browser.atApple(try await browser.get(url), person: person))
            }
            let failed = try await signIn(linking.second, in: linking.browser)
            #expect(page == "always" ? failed.status == 503 : failed["error"] == "temporarily_unavailable")
            #expect(linking.browser.cookies.keys.contains { $0.hasSuffix("-n") })
            #expect(!failed.headers["Set-Cookie"].contains { $0.contains("Second") })
            // Another person in this browser does not get it.
            let third = try await linking.platform.makePerson("Third Owner", email: linking.address)
            let other = linking.with(second: third)
            other.browser.cookies = linking.browser.cookies
            var form = try await other.browser.atApple(
                try await other.browser.get(linking.request.authorizeURL(changing: ["provider": "apple"])), person: third)
            form["user"] = nil
            let user = try await other.user(other.browser.press(try await other.browser.callback(form), "/separate"))
            #expect(try await linking.platform.user(user)?.givenName == nil)
            _ = try await linking.platform.ownerPool.run("UPDATE tenant_user SET email = 'third@example.com' WHERE given_name IS NULL")

            let asked = try await signIn(linking.second, in: linking.browser)
            try #require(linking.asks(asked), "\(asked.status) \(asked.location ?? asked.body)")
            let separate = try await linking.user(linking.browser.press(asked, "/separate"))
            #expect(try await linking.platform.user(separate)?.givenName == "Second")
        }
    }

    @Test("a name that waits is saved if the tenant has turned the question off")
    func keptWithoutQuestion() async throws {
        try await Linking.run { linking in
            let own: [String: any Sendable] = ["endpoint": "token", "client_id": linking.platform.own.servicesID, "times": 1]
            try await linking.platform.simulator.fault(own.merging(["fault": "status", "status": 503]) { $1 })
            let failed = try await linking.browser.signIn(linking.request, person: linking.second)
            #expect(failed["error"] == "temporarily_unavailable" || failed.status == 503, "\(failed.status) \(failed.location ?? "")")
            try #require(linking.browser.cookies.keys.contains { $0.hasSuffix("-n") })
            try await linking.platform.set(["account_linking": "off"])
            let user = try await linking.user(linking.browser.signIn(linking.request, person: linking.second))
            #expect(user != linking.owner.user)
            #expect(try await linking.platform.user(user)?.givenName == "Second")
            // A name that the user has stays.
            _ = try await linking.platform.ownerPool.run(
                "UPDATE tenant_user SET given_name = 'Mine', family_name = NULL WHERE given_name = 'Second'")
            _ = try await linking.user(linking.browser.signIn(linking.request, person: linking.second))
            #expect(try await linking.platform.user(user)?.givenName == "Mine")
        }
    }

    @Test("if the database fails after Apple has redeemed the code of a first sign-in, the name waits, too")
    func databaseFails() async throws {
        try await Linking.run { linking in
            let pool = linking.platform.ownerPool
            // The question does not fit into its page, so a user is saved at once.
            let (address, name) = ("\(String(repeating: "a", count: 200))@example.com", String(repeating: "👍🏽", count: 100))
            _ = try await pool.run("UPDATE tenant_user SET email = \(address)")
            try await linking.platform.claim("email", address)
            var form = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            form["user"] = #"{"name":{"firstName":"\#(name)","lastName":"\#(name)"}}"#
            _ = try await pool.run(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$")
            _ = try await pool.run("CREATE TRIGGER refuse BEFORE INSERT ON tenant_user FOR EACH ROW EXECUTE FUNCTION refuse()")
            let failed = try await linking.browser.callback(form)
            #expect(failed["error"] == "server_error", "\(failed.status) \(failed.location ?? failed.body)")
            #expect(linking.browser.cookies.keys.contains { $0.hasSuffix("-n") })
            _ = try await pool.run("DROP TRIGGER refuse ON tenant_user")
            var again = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            again["user"] = nil
            let user = try await linking.user(linking.browser.callback(again))
            #expect(try await linking.platform.user(user)?.givenName == name)
        }
    }

    @Test("if a server without Apple's keys receives the sign-in to the other user, the page appears again with the name")
    func keysUnavailable() async throws {
        try await OwnApple.run { platform, apple in
            let address = platform.address("both")
            let people = ["first": "first-owner", "second": "second-owner"]
            for (name, id) in people {
                try await apple.send("POST", "/simulator/people", ["name": "\(name) Owner", "id": id, "email": address])
            }
            let request = TestBrowser.Request(platform.acme)
            _ = try await TestBrowser(platform).tokens(request, person: "first-owner")
            let browser = TestBrowser(platform)
            let page = try await browser.signIn(request, person: "second-owner")
            let form = try await browser.atApple(try await browser.press(page), person: "first-owner")
            try await SecondServer.run(beside: platform) { server in
                try await apple.fault(["endpoint": "keys", "fault": "status", "status": 500])
                let second = TestBrowser(publicURL: TestPlatform.publicURL, address: server.address)
                second.cookies = browser.cookies
                let again = try await second.callback(form)
                #expect(again.status == 200 && again.body.contains("An account with this address exists already"), "\(again.status)")
                try await apple.send("DELETE", "/simulator/faults", [:])
                let back = try await second.press(again, "/separate")
                #expect(back["code"] != nil, "\(back.status) \(back.body)")
            }
            #expect(try await platform.count("tenant_user", where: "given_name = 'second'") == 1)
        }
    }

    @Test("two sign-ins at once link one identity")
    func atOnce() async throws {
        try await Linking.run { linking in
            let tabs = [linking, linking.elsewhere, linking.elsewhere]
            var forms: [TestBrowser.AppleForm] = []
            for tab in tabs {
                forms.append(try await tab.browser.atApple(try await tab.browser.press(try await tab.page()), person: tab.first))
            }
            let users = try await withThrowingTaskGroup(of: String.self) { tasks in
                for (tab, form) in zip(tabs, forms) { tasks.addTask { try await tab.user(try await tab.browser.callback(form)) } }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(users == [linking.owner.user])
            #expect(try await linking.identities() == 2)
            #expect(try await linking.platform.audited("linkIdentity").count == 1)
        }
    }

    @Test("a tenant that turned it off, and one from before the setting, create a user at once")
    func off() async throws {
        try await Linking.run(["account_linking": "off"]) { linking in
            let user = try await linking.user(linking.signIn())
            #expect(user != linking.owner.user)
            #expect(try await linking.platform.count("tenant_user") == 2)
        }
        try await Linking.run { linking in
            // The migration gave the default to the tenants that existed.
            _ = try await linking.platform.ownerPool.run("UPDATE tenant SET account_linking = DEFAULT")
            linking.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await linking.user(linking.signIn()) != linking.owner.user)
        }
    }

    @Test("a sign-in through AuthKit creates a user at once")
    func authKit() async throws {
        try await Linking.run { linking in
            let (platform, request) = (linking.platform, linking.request)
            let toApple = try await linking.browser.get(
                TestBrowser.Request.url(
                    "\(TestPlatform.publicURL)/user_management/authorize",
                    request.parameters.filter { $0.0 != "scope" } + [("provider", "authkit")]))
            let back = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
            #expect(back["code"] != nil, "\(back.status) \(back.body)")
            #expect(try await platform.count("tenant_user") == 2)
        }
    }

    @Test("with single sign-on and form_post, the browser is signed in as the linked user")
    func singleSignOn() async throws {
        try await Linking.run(["single_sign_on": true]) { linking in
            let toApple = try await linking.browser.get(linking.request.authorizeURL(changing: ["response_mode": "form_post"]))
            let page = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
            let back = try await linking.link(page)
            #expect(back.status == 200)
            let posted = try #require(TestBrowser.AppleForm(html: back.body))
            #expect(posted.action == linking.request.redirectURI && posted["state"] == linking.request.state)
            let tokens = try await linking.browser.redeem(posted["code"] ?? "", linking.request)
            #expect(try claims(of: tokens.string("id_token"))["sub"] as? String == linking.owner.user)
            #expect(try await linking.platform.count("browser_session") == 2)
            var other = linking.request
            other.application = linking.platform.acme.applications[1]
            let silent = try await linking.browser.get(other.authorizeURL(changing: ["prompt": "none"]))
            let silently = try await linking.browser.redeem(silent["code"] ?? "", other)
            #expect(try claims(of: silently.string("id_token"))["sub"] as? String == linking.owner.user)
        }
    }

    @Test("a long state has no page, because its cookies leave no room, and a user is created")
    func longState() async throws {
        try await Linking.run { linking in
            let url = linking.request.authorizeURL(changing: ["state": String(repeating: "a", count: 4096)])
            let toApple = try await linking.browser.get(url)
            let back = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
            #expect(back["code"] != nil)
            #expect(try await linking.platform.count("tenant_user") == 2)
        }
    }
}
