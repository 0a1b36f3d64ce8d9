import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("The page for the name, after a reload, after Back and with other sign-ins")
struct NamePageAgainTests {
    @Test("a reload of the page after Apple's response shows it again, without Apple, and only in its browser")
    func reloaded() async throws {
        try await RequiredName.run { platform, browser, request in
            for state in ["s", String(repeating: "é", count: 2048)] {
                let toApple = try await browser.get(request.authorizeURL(changing: ["state": state]))
                var form = try await browser.atApple(toApple, person: "new")
                form["user"] = nil
                #expect(try await browser.callback(form).asksForName(setsCookies: true))
                let again = try await browser.callback(form)
                #expect(again.asksForName(), "\(again.status) \(again.location ?? again.body)")
                let other = TestBrowser(platform)
                other.cookies = browser.cookies.filter { $0.key.hasSuffix("-q") }
                #expect(try await other.callback(form).isPage(400))
                let back = try await browser.give("Ada", on: again)
                #expect(back["state"] == state)
                var same = request
                same.state = state
                #expect(try await browser.redeem(try #require(back["code"]), same).status == 200)
                // Afterwards, neither a reload nor the page continues.
                #expect(try await browser.callback(form).body.contains("already finished"))
                #expect(try await browser.give("Ada", on: again).body.contains("already finished"))
                browser.cookies = [:]
            }
            // A forged or foreign value is left out, and Apple refuses its own response.
            var form = try await browser.atApple(try await browser.authorize(request), person: "new")
            form["user"] = nil
            _ = try await browser.callback(form)
            browser.cookies = browser.cookies.mapValues { $0.contains(".") ? "x" + $0 : $0 }
            #expect(try await browser.callback(form).reports(request, "server_error"))
        }
    }

    /// The result of Apple's sheet after the person went back to it from the page.
    enum Second: CaseIterable {
        case otherPerson, sharedName, cancel
    }

    @Test(
        "a person who goes back to Apple's sheet gets the result of the second sign-in, and not the page of the first",
        arguments: Second.allCases)
    func backAtApple(_ second: Second) async throws {
        try await RequiredName.run { platform, browser, request in
            let toApple = try await browser.authorize(request)
            var form = try await browser.atApple(toApple, person: "Nemo")
            form["user"] = nil
            let first = try await browser.callback(form)
            #expect(first.asksForName(setsCookies: true))
            form = try await browser.atApple(toApple, person: second == .sharedName ? "Nemo" : second == .cancel ? "cancel" : "Nobody")
            form["user"] = second == .sharedName ? #"{"name":{"firstName":"Ada","lastName":"Lovelace"}}"# : nil
            var back = try await browser.callback(form)
            guard second != .cancel else {
                #expect(back.reports(request, "access_denied"), "\(back.status) \(back.body)")
                #expect(browser.cookies.isEmpty)
                #expect(try await browser.give("Ada", on: first).isPage(400))
                #expect(try await platform.countNameless() == 1)
                return
            }
            if second == .otherPerson {
                #expect(back.asksForName(setsCookies: true), "\(back.status) \(back.location ?? back.body)")
                // A reload shows the page of the other person.
                #expect(try await browser.callback(form).asksForName())
                back = try await browser.give("Ada", "Lovelace", on: back)
            } else {
                #expect(browser.cookies.isEmpty)
            }
            let code = try #require(back["code"], "\(back.status) \(back.body)")
            #expect(back["state"] == request.state)
            let token = try claims(of: try await browser.redeem(code, request).string("id_token"))
            #expect(token["name"] as? String == "Ada Lovelace")
            let address = second == .otherPerson ? "nobody@example.com" : "nemo@example.com"
            #expect(token["email"] as? String == address)
            #expect(try await platform.countNameless() == (second == .otherPerson ? 1 : 0))
        }
    }

    @Test("a person who goes back to Apple's sheet after the sign-in is finished stays signed in", arguments: ["Nemo", "Nobody"])
    func backWhenFinished(_ person: String) async throws {
        try await RequiredName.run { platform, browser, request in
            let toApple = try await browser.authorize(request)
            var form = try await browser.atApple(toApple, person: "Nemo")
            form["user"] = nil
            let page = try await browser.callback(form)
            let code = try #require(try await browser.give("Ada", on: page)["code"])
            let token = try #require(try await browser.redeem(code, request).string("refresh_token"))
            // The same response again, and another one.
            #expect(try await browser.callback(form).isPage(400))
            form = try await browser.atApple(toApple, person: person)
            #expect(try await browser.callback(form).isPage(400))
            #expect(try await browser.refresh(token, request).status == 200)
            #expect(try await platform.countNameless() == 0)
        }
    }

    @Test("a form without a name continues if the name is no longer missing or no longer required")
    func nameFromElsewhere() async throws {
        try await RequiredName.run { platform, browser, request in
            let tab = TestBrowser.Request(platform.acme)
            let (one, two) = (
                try await browser.signInWithoutName(request, person: "Nemo"), try await browser.signInWithoutName(tab, person: "Nemo")
            )
            #expect(try await browser.give("Nemo", on: one)["code"] != nil)
            let code = try #require(try await browser.give("", on: two)["code"])
            #expect(try claims(of: try await browser.redeem(code, tab).string("id_token"))["name"] as? String == "Nemo")

            let last = TestBrowser.Request(platform.acme)
            let page = try await browser.signInWithoutName(last)
            #expect(try await browser.give("", on: page).asksForName(400))
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["requires_name": false]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let nameless = try #require(try await browser.give("", on: page)["code"])
            #expect(try claims(of: try await browser.redeem(nameless, last).string("id_token"))["name"] == nil)
        }
    }

    @Test("a browser with many cookies of sign-ins gets a mark instead of the question, and the form works")
    func crowded() async throws {
        try await RequiredName.run { platform, browser, request in
            let toApple = try await browser.authorize(request)
            var form = try await browser.atApple(toApple, person: "new")
            form["user"] = nil
            for number in 0..<3 {
                browser.cookies["__Host-espalier-aaaaaaaaaaa\(number)-0"] = String(repeating: "x", count: 2100)
            }
            let page = try await browser.callback(form)
            #expect(page.asksForName(setsCookies: true))
            #expect(browser.cookies.filter { $0.key.hasSuffix("-q") }.map(\.value) == ["asked"])
            let code = try #require(try await browser.give("Ada", on: page)["code"])
            // Another response of Apple after the sign-in must not end it.
            #expect(try await browser.redeem(code, request).status == 200)
            #expect(try await browser.callback(try await browser.atApple(toApple, person: "Nemo")).body.contains("already finished"))
        }
    }
}
