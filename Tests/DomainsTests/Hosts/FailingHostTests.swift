import Domains
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Server

@Suite("Own hosts: a missing proof")
struct FailingHostTests {
    private static let cookie = "__Host-espalier-sso-acme"

    /// Whether the browser is signed in at the host.
    private static func isSignedIn(_ browser: TestBrowser, _ request: TestBrowser.Request) async throws -> Bool {
        let answer = try await browser.get(request.authorizeURL(changing: ["prompt": "none"]))
        #expect(answer["code"] != nil || answer.reports(request, "login_required"), "\(answer.status) \(answer.location ?? answer.body)")
        return answer["code"] != nil
    }

    /// With single sign-on, and a browser that is signed in at the host.
    private static func run(
        _ body: @Sendable @escaping (OwnHost, String, TestBrowser, TestBrowser.Request) async throws -> Void
    ) async throws {
        try await OwnHost.run { own in
            #expect(try await own.platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            try await own.settle()
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            let (browser, request) = (own.browser(), TestBrowser.Request(own.acme))
            _ = try await browser.signIn(request)
            #expect(try await isSignedIn(browser, request))
            try await body(own, id, browser, request)
        }
    }

    @Test("a failing host neither accepts nor sets the cookie of a browser's sign-in, and the earlier ones stay invalid")
    func failing() async throws {
        try await Self.run { own, id, browser, request in
            let (upkeep, now) = (own.platform.installation.domainUpkeep, Date())
            // A daily look that finds the proof changes nothing.
            try await upkeep.pass(at: now + 86_460)
            try await own.settle()
            #expect(try await Self.isSignedIn(browser, request))

            let application = "/tenants/acme/applications/\(request.application.client_id)"
            let returning: [String: any Sendable] = ["logout_uris": ["https://app.test/bye"], "login_url": "https://app.test/login"]
            #expect(try await own.platform.call("PATCH", application, returning).status == 200)
            try await own.settle()
            let client = request.application.client_id
            var forms: [TestBrowser.AppleForm] = []
            for parameters in [
                [("ui_locales", "en")], [("client_id", client), ("post_logout_redirect_uri", "https://app.test/bye")],
            ] {
                let asking = try await browser.get(TestBrowser.Request.url("\(OwnHost.url)/oauth2/logout", parameters))
                forms.append(try #require(TestBrowser.AppleForm(html: asking.body), "\(asking.status) \(asking.body)"))
            }
            let record = "_espalier.\(OwnHost.name)"
            let proof = try #require((try await own.get(id).json["proof"] as? [String: Any])?["record"] as? [String: Any])
            own.resolver.remove(record)
            try await upkeep.pass(at: now + 2 * 86_460)
            #expect(try await own.state(id) == "failing")
            try await own.settle()
            #expect(try await !Self.isSignedIn(browser, request))
            // Nor does a page tell whose cookie it is.
            let page = try await browser.get("\(OwnHost.url)/oauth2/logout")
            #expect(page.status == 200 && TestBrowser.AppleForm(html: page.body) == nil, "\(page.body)")
            // The form of an earlier page ends nothing, and the response says so, even if the browser could return to the application.
            for form in forms {
                let confirmed = try await browser.post(OwnHost.url + form.action, form: form.fields, headers: [("Origin", OwnHost.url)])
                #expect(confirmed.isPage(200) && confirmed.body.contains("not signed out"), "\(confirmed.status) \(confirmed.body)")
                #expect(confirmed.body.contains("https://app.test/login") == form.action.contains("client_id"), "\(confirmed.body)")
            }
            let other = own.browser()
            #expect(try await other.signIn(request)["code"] != nil)
            #expect(other.cookies(of: OwnHost.url)[Self.cookie] == nil)
            // The old address is not concerned.
            let old = TestBrowser.Request(own.platform.acme)
            _ = try await other.signIn(old)
            #expect(try await other.get(old.authorizeURL(changing: ["prompt": "none"]))["code"] != nil)
            let connections = try await own.platform.call("GET", "/tenants/acme/connections").elements
            let portal = try #require(connections.first?["apple_portal"] as? [String: Any])
            #expect((portal["own_hosts"] as? [[String: String]])?.map { $0["state"] } == ["failing"])

            own.resolver.publish(try #require(proof["value"] as? String), at: record)
            try await upkeep.pass(at: now + 3 * 86_460)
            #expect(try await own.state(id) == "active")
            try await own.settle()
            #expect(browser.cookies(of: OwnHost.url)[Self.cookie] != nil)
            #expect(try await !Self.isSignedIn(browser, request))
            _ = try await browser.signIn(request)
            #expect(try await Self.isSignedIn(browser, request))
        }
    }

    @Test("a host whose name servers fail keeps its sign-ins for 2 days, then becomes failing, and inactive only without its proof")
    func unanswered() async throws {
        try await Self.run { own, id, browser, request in
            let (upkeep, now) = (own.platform.installation.domainUpkeep, Date())
            own.resolver.respond(.fail)
            try await upkeep.pass(at: now + 86_460)
            try await own.settle()
            #expect(try await own.state(id) == "active")
            #expect(try await Self.isSignedIn(browser, request))
            try await upkeep.pass(at: now + 3 * 86_460)
            try await own.settle()
            #expect(try await own.state(id) == "failing")
            #expect(try await !Self.isSignedIn(browser, request))
            for day in [9.0, 11, 40] {
                try await upkeep.pass(at: now + day * 86_460)
                #expect(try await own.state(id) == "failing", "\(day)")
            }
            // The 7 days begin with the last look without an answer.
            own.resolver.remove("_espalier.\(OwnHost.name)")
            own.resolver.respond(.answer)
            try await upkeep.pass(at: now + 41 * 86_460)
            #expect(try await own.state(id) == "failing")
            try await upkeep.pass(at: now + 47.5 * 86_460)
            #expect(try await own.state(id) == "inactive")
        }
    }

    @Test("after a pause of the server, one look without an answer changes no state")
    func pause() async throws {
        try await Self.run { own, id, browser, request in
            let (upkeep, now) = (own.platform.installation.domainUpkeep, Date())
            own.resolver.respond(.fail)
            try await upkeep.pass(at: now + 5 * 86_460)
            try await own.settle()
            #expect(try await own.state(id) == "active")
            #expect(try await Self.isSignedIn(browser, request))
            try await upkeep.pass(at: now + 6 * 86_460)
            #expect(try await own.state(id) == "failing")
        }
    }

    @Test("a device shows the address of a failing primary domain only if the other one is off")
    func device() async throws {
        try await OwnHost.run { own in
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            let application = own.platform.acme.applications[1].client_id
            let path = "/tenants/acme/applications/\(application)"
            #expect(try await own.platform.call("PATCH", path, ["allows_device_grant": true]).status == 200)
            for (change, state, page) in [
                (["is_primary": true], "active", OwnHost.url), ([:], "failing", own.platform.acme.issuer),
                (["is_exclusive": true], "failing", OwnHost.url),
            ] {
                if !change.isEmpty { #expect(try await own.change(id, change).status == 200) }
                if state == "failing" { try await own.set("state = 'failing', failing_since = now(), proved_since = NULL") }
                try await own.settle()
                let codes = try await own.browser().post(
                    "\(change["is_exclusive"] == nil ? own.platform.acme.issuer : OwnHost.url)/oauth2/device_authorization",
                    form: [("client_id", application)])
                #expect(codes.string("verification_uri") == "\(page)/device", "\(codes.status) \(codes.body)")
            }
            let moved = try await own.browser().get("\(own.platform.acme.issuer)/device")
            #expect(moved.location == "\(OwnHost.url)/device", "\(moved.status)")
        }
    }

    @Test("a failing host offers no mailed link, and none works there, because it leads to the owner of the host")
    func mailedLink() async throws {
        try await TestMailServer.run { server async throws in
            let mail = try server.settings()
            try await OwnHost.run({ $0.mail = mail }) { own in
                let linking = try await Linking.make(own.platform)
                let (browser, request) = (own.browser(), TestBrowser.Request(own.acme))
                func press(_ page: TestBrowser.Answer, _ path: String, in browser: TestBrowser) async throws -> TestBrowser.Answer {
                    let form = try #require(TestBrowser.AppleForm(html: page.body), "\(page.status) \(page.body)")
                    return try await browser.post(OwnHost.url + form.action + path, form: form.fields, headers: [("Origin", OwnHost.url)])
                }
                let page = try await browser.signIn(request, person: linking.second)
                #expect(page.body.contains("Send me a link by mail"))
                #expect(try await press(page, "/mail", in: browser).status == 200)
                let link = try await eventually("the mail arrives") { server.mails.first }.link
                let asking = try await browser.get(link)
                #expect(linking.asksToConnect(asking), "\(asking.status) \(asking.body)")

                own.resolver.remove("_espalier.\(OwnHost.name)")
                try await own.platform.installation.domainUpkeep.pass(at: Date() + 86_460)
                try await own.settle()
                #expect(try await browser.get(link).isPage(503))
                #expect(try await press(asking, "", in: browser).isPage(503, setsCookies: true))
                let other = own.browser()
                let again = try await other.signIn(request, person: linking.second)
                #expect(linking.asks(again) && !again.body.contains("Send me a link by mail"), "\(again.status) \(again.body)")
                #expect(try await press(again, "/mail", in: other).status == 503)
                #expect(try await linking.identities() == 1)
                #expect(try await own.platform.audited("mailLinkProof").count == 1)
            }
        }
    }

    @Test("the cookies of a deleted domain stay invalid if the tenant proves the same host again")
    func deleted() async throws {
        try await Self.run { own, id, browser, request in
            #expect(try await own.platform.call("DELETE", "/tenants/acme/domains/\(id)").status == 204)
            _ = try await own.activate(OwnHost.name)
            #expect(browser.cookies(of: OwnHost.url)[Self.cookie] != nil)
            #expect(try await !Self.isSignedIn(browser, request))
        }
    }
}
