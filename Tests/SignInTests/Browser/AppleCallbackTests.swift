import Access
import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Sealing
import Server
@testable import Sessions
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Apple callback")
struct AppleCallbackTests {
    @Test("a valid response redirects to the application by GET, with code, state and issuer", arguments: [0, 1])
    func goodAnswer(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            var request = TestBrowser.Request(platform.seeded.tenants[number])
            request.state = "a b&c=d#e\r\nX: é\u{0}"
            let answer = try await browser.signIn(request)
            #expect(answer.status == 303)
            #expect(answer.location?.hasPrefix("\(request.redirectURI)?code=") == true)
            #expect(answer["state"] == request.state)
            #expect(answer["iss"] == request.tenant.issuer)
            #expect(answer["error"] == nil)
            #expect(answer.headers.first(name: "Cache-Control") == "no-store")
            #expect(answer.headers.first(name: "Referrer-Policy") == "no-referrer")
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("a missing, altered or unrelated state gets a page and calls nothing")
    func alteredState() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let ourCode = try await TestBrowser(platform).code(request)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            let state = try #require(form["state"])
            var altered = Array(state)
            altered[altered.count / 2] = altered[altered.count / 2] == "A" ? "B" : "A"
            for other in [
                nil, "", "x", String(state.dropLast()), String(state.dropFirst()), state + "A", state + "=", String(altered), ourCode,
                request.state, String(repeating: "A", count: 5000), "é",
            ] {
                var hostile = form
                hostile["state"] = other
                #expect(try await browser.callback(hostile).isPage(400), "\(other ?? "none")")
            }
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await browser.callback(form)["code"] != nil)
        }
    }

    @Test("an attempt of another installation gets a page")
    func otherInstallation() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            let attempt = try await Self.attempt(platform, at: now)
            let browser = TestBrowser(platform)
            browser.cookies = [AttemptCookie(attempt.login, publicURL: TestPlatform.publicURL).name: "secret"]
            let foreign = attempt.sealed(with: try Keyring([.generate()]))
            #expect(try await browser.post(platform.acme.return_url, form: [("state", foreign), ("code", "c")]).isPage(400))
        }
    }

    @Test("an attempt expires after 15 minutes")
    func expired() async throws {
        try await TestPlatform.run { platform in
            for (age, isPage) in [(901.0, true), (840.0, false)] {
                let attempt = try await Self.attempt(platform, at: Date() - age)
                let browser = TestBrowser(platform)
                browser.cookies = [AttemptCookie(attempt.login, publicURL: TestPlatform.publicURL).name: "secret"]
                let sealed = attempt.sealed(with: platform.settings.keyring)
                let answer = try await browser.post(
                    platform.acme.return_url, form: [("state", sealed), ("error", "user_cancelled_authorize")])
                #expect(answer.isPage(400) == isPage)
                #expect(answer["error"] == (isPage ? nil : "access_denied"))
            }
        }
    }

    /// An attempt for Acme's first application, started by the browser that has the cookie `secret`.
    private static func attempt(_ platform: TestPlatform, at now: Date) async throws -> LoginAttempt {
        let acme = try await platform.configuration(of: platform.acme)
        let query = TestBrowser.Request(platform.acme).authorizeURL.split(separator: "?")[1]
        let asked = try AuthorizationRequest(try Form(String(query)), from: acme.applications, issuer: platform.acme.issuer)
        return LoginAttempt(asked, tenant: acme.tenant.id, connection: acme.connection!.id, browserSecret: "secret", at: now)
    }

    @Test("an attempt returns only through its own Return URL")
    func otherDoor() async throws {
        try await TestPlatform.run { platform in
            let acme = platform.acme.return_url
            let globex = "\(platform.globex.issuer)/auth/apple/callback"
            let shared = platform.globex.return_url
            for (tenant, wrong) in [(platform.acme, [globex, shared]), (platform.globex, [acme, globex])] {
                let browser = TestBrowser(platform)
                let request = TestBrowser.Request(tenant)
                let form = try await browser.atApple(try await browser.authorize(request), person: "new")
                for door in wrong {
                    var hostile = form
                    hostile.action = door
                    #expect(try await browser.callback(hostile).isPage(400), "\(tenant.slug) at \(door)")
                }
                #expect(try await platform.count("identity", where: "tenant_id = '\(ID<Tenant>(tenant.id)!.uuid)'") == 0)
                #expect(try await browser.callback(form)["code"] != nil)
            }
            let nobody = "\(TestPlatform.publicURL)/t/initech/auth/apple/callback"
            #expect(try await TestBrowser(platform).post(nobody, form: [("state", "x")]).isPage(404))
        }
    }

    @Test("only the browser that started an attempt may finish it")
    func otherBrowser() async throws {
        try await TestPlatform.run { platform in
            let (browser, thief) = (TestBrowser(platform), TestBrowser(platform))
            let request = TestBrowser.Request(platform.acme)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            _ = try await thief.authorize(request)
            let name = try #require(browser.cookies.keys.first)
            let own = browser.cookies
            for cookies in [
                [:], thief.cookies, [name: thief.cookies.values.first!], [name: ""], [name: own[name]! + "A"],
                [name.lowercased(): own[name]!],
                [String(name.dropFirst("__Host-".count)): own[name]!], ["x\(name)": own[name]!],
            ] {
                thief.cookies = cookies
                #expect(try await thief.callback(form).isPage(400), "\(cookies)")
            }
            browser.cookies["unrelated"] = "a=b"
            #expect(try await browser.callback(form)["code"] != nil)
        }
    }

    @Test("two tabs of one browser do not disturb each other")
    func twoTabs() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let (one, other) = (TestBrowser.Request(platform.acme), TestBrowser.Request(platform.acme, application: 1))
            let first = try await browser.atApple(try await browser.authorize(one), person: "Grace Hopper")
            let second = try await browser.atApple(try await browser.authorize(other), person: "Alan Turing")
            let back = try await browser.callback(second)
            #expect(back["state"] == other.state)
            #expect(browser.cookies.count == 1)
            #expect(try await browser.callback(first)["state"] == one.state)
            #expect(try await browser.redeem(try #require(back["code"]), other).status == 200)
        }
    }

    @Test("a repeated response gets a page; with its cookie restored, Apple's code is already used")
    func postedAgain() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            let cookies = browser.cookies
            #expect(try await browser.callback(form)["code"] != nil)
            #expect(try await browser.callback(form).isPage(400))
            browser.cookies = cookies
            #expect(try await browser.callback(form).reports(request, "server_error"))
        }
    }

    @Test("an attempt that is finished twice, even by two people, is one login")
    func finishedTwice() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let toApple = try await browser.authorize(request)
            let cookies = browser.cookies
            var codes: [String] = []
            for person in ["Grace Hopper", "Alan Turing"] {
                browser.cookies = cookies
                codes.append(try #require(try await browser.callback(try await browser.atApple(toApple, person: person))["code"]))
            }
            #expect(try await browser.redeem(codes[0], request).status == 200)
            #expect(try await browser.redeem(codes[1], request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("another login's code in this attempt fails")
    func injectedCode() async throws {
        try await TestPlatform.run { platform in
            let (victim, thief) = (TestBrowser(platform), TestBrowser(platform))
            let request = TestBrowser.Request(platform.acme)
            let stolen = try await victim.atApple(try await victim.authorize(request), person: "Grace Hopper")
            var form = try await thief.atApple(try await thief.authorize(request), person: "new")
            form["code"] = stolen["code"]
            #expect(try await thief.callback(form).reports(request, "server_error"))
        }
    }

    @Test("a cancellation at Apple becomes access_denied, and nothing is stored")
    func cancelled() async throws {
        try await TestPlatform.run { platform in
            for tenant in platform.seeded.tenants {
                let browser = TestBrowser(platform)
                let request = TestBrowser.Request(tenant)
                let answer = try await browser.signIn(request, person: "cancel")
                #expect(answer.reports(request, "access_denied"))
                #expect(browser.cookies.isEmpty)
            }
            #expect(try await platform.count("tenant_user") == 0)
        }
    }

    @Test("a response with neither a code nor a cancellation becomes server_error")
    func neither() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            for change in [("error", "invalid_request"), ("error", "USER_CANCELLED_AUTHORIZE"), ("code", nil)] as [(String, String?)] {
                let browser = TestBrowser(platform)
                var form = try await browser.atApple(try await browser.authorize(request), person: "new")
                form[change.0] = change.1
                #expect(try await browser.callback(form).reports(request, "server_error"), "\(change)")
            }
        }
    }

    @Test("a body that is not a form, is too large or repeats a field gets a page")
    func notAForm() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            var (twice, large) = (form, form)
            twice.fields.append(("state", form["state"]!))
            large["user"] = String(repeating: "u", count: 65 * 1024)
            #expect(try await browser.callback(twice).isPage(400))
            let refused = try await browser.callback(large)
            #expect(refused.status == 413)
            #expect(refused.location == nil)
            let text = try await browser.send("POST", form.action, headers: [("Content-Type", "text/plain")], body: "{}")
            #expect(text.status == 415)
            let got = try await browser.get(form.action + "?state=\(form["state"]!)")
            #expect(got.status == 405)
            #expect(try await browser.callback(form)["code"] != nil)
        }
    }

    @Test("an application or redirect URI that was removed during the sign-in gets no redirect")
    func withdrawn() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            try await platform.setRedirectURIs(["https://new.test/callback"], of: request.application)
            try await eventually("the change has arrived") { try await TestBrowser(platform).authorize(request).isPage(400) }
            #expect(try await browser.callback(form).isPage(400))
        }
    }

    @Test("if the tenant's connection changes during the sign-in, the application receives an error")
    func connectionChanged() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            _ = try await platform.ownerPool.run("UPDATE tenant SET connection_id = NULL WHERE slug = 'acme'")
            try await eventually("the change has arrived") {
                try await TestBrowser(platform).authorize(request)["client_id"] == platform.shared.servicesID
            }
            #expect(try await browser.callback(form).reports(request, "temporarily_unavailable"))
        }
    }
}
