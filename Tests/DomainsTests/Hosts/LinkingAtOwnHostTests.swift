import Foundation
import Server
import TestSupport
import Testing

@Suite("Own hosts: several Apple Accounts of a user")
struct LinkingAtOwnHostTests {
    @Test("the page that asks to link is at the host; only a page of this origin sends its form, and only to this address")
    func links() async throws {
        try await OwnHost.run { own in
            let linking = try await Linking.make(own.platform)
            let (browser, request) = (own.browser(), TestBrowser.Request(own.acme))
            let page = try await browser.signIn(request, person: linking.second)
            #expect(linking.asks(page), "\(page.status) \(page.location ?? page.body)")
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            #expect(form.action == "/oauth2/link")
            let foreign = try await browser.post(
                OwnHost.url + form.action, form: form.fields, headers: [("Origin", TestPlatform.publicURL)])
            #expect(foreign.isPage(400), "\(foreign.status)")
            browser.cookies = browser.cookies(of: OwnHost.url)
            #expect(try await browser.post(own.platform.acme.issuer + form.action, form: form.fields).isPage(400))

            let toApple = try await browser.post(
                OwnHost.url + form.action, form: form.fields, headers: [("Origin", OwnHost.url), ("Sec-Fetch-Site", "same-origin")])
            #expect(toApple["redirect_uri"] == "\(OwnHost.url)/auth/apple/callback", "\(toApple.status) \(toApple.body)")
            let back = try await browser.callback(try await browser.atApple(toApple, person: linking.first))
            #expect(back["iss"] == OwnHost.url, "\(back.status) \(back.location ?? back.body)")
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(try claims(of: tokens.string("access_token"))["sub"] as? String == linking.owner.user)
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("a mailed link leads to the host, and works only there")
    func mailed() async throws {
        try await TestMailServer.run { server async throws in
            let mail = try server.settings()
            try await OwnHost.run({ $0.mail = mail }) { own in
                let linking = try await Linking.make(own.platform)
                let (browser, request) = (own.browser(), TestBrowser.Request(own.acme))
                let headers = [("Origin", OwnHost.url), ("Sec-Fetch-Site", "same-origin")]
                let page = try await browser.signIn(request, person: linking.second)
                let form = try #require(TestBrowser.AppleForm(html: page.body))
                let sent = try await browser.post("\(OwnHost.url)\(form.action)/mail", form: form.fields, headers: headers)
                #expect(sent.isPage(200, setsCookies: true), "\(sent.status) \(sent.body)")
                let link = try await eventually("the mail arrives") { server.mails.first }.link
                #expect(link.hasPrefix("\(OwnHost.url)/oauth2/link/mail?ticket="))

                // The other address of the tenant, even with the cookies of the host.
                browser.cookies = browser.cookies(of: OwnHost.url)
                #expect(try await browser.get(link.replacing(OwnHost.url, with: own.platform.acme.issuer)).isPage(400))
                let asking = try await browser.get(link)
                #expect(linking.asksToConnect(asking), "\(asking.status) \(asking.body)")
                let confirmation = try #require(TestBrowser.AppleForm(html: asking.body))
                #expect(confirmation.action == "/oauth2/link/mail/confirmation")
                let foreign = try await browser.post(own.platform.acme.issuer + confirmation.action, form: confirmation.fields)
                #expect(foreign.isPage(400))
                #expect(try await linking.identities() == 1)

                let back = try await browser.post(OwnHost.url + confirmation.action, form: confirmation.fields, headers: headers)
                #expect(back["iss"] == OwnHost.url, "\(back.status) \(back.location ?? back.body)")
                let tokens = try await browser.redeem(try #require(back["code"]), request)
                #expect(try claims(of: tokens.string("access_token"))["sub"] as? String == linking.owner.user)
                #expect(try await linking.identities() == 2)
                #expect(browser.cookies(of: OwnHost.url).isEmpty)
            }
        }
    }

    @Test("a person adds an Apple Account at the host")
    func adds() async throws {
        try await OwnHost.run { own in
            let linking = try await Linking.make(own.platform)
            let browser = own.browser()
            func call(_ path: String, _ member: String, _ value: String) async throws -> TestBrowser.Answer {
                try await browser.send(
                    "POST", "\(OwnHost.url)/users/me/identities\(path)",
                    headers: [("Authorization", "Bearer \(linking.owner.access)"), ("Content-Type", "application/json")],
                    body: String(decoding: try JSONSerialization.data(withJSONObject: [member: value]), as: UTF8.self))
            }
            let asked = try await call("", "redirect_uri", linking.request.redirectURI)
            let url = try #require(asked.string("url"), "\(asked.body)")
            #expect(url.hasPrefix("\(OwnHost.url)/oauth2/identities?ticket="))
            let toApple = try await browser.get(url)
            #expect(toApple["redirect_uri"] == "\(OwnHost.url)/auth/apple/callback")
            let page = try await browser.callback(try await browser.atApple(toApple, person: linking.second))
            #expect(linking.asksToConnect(page), "\(page.status) \(page.location ?? page.body)")
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            #expect(form.action == "/oauth2/identities")
            browser.cookies = browser.cookies(of: OwnHost.url)
            #expect(try await browser.post(own.platform.acme.issuer + form.action, form: form.fields).isPage(400))
            let back = try await browser.post(OwnHost.url + form.action, form: form.fields, headers: [("Origin", OwnHost.url)])
            let result = try #require(back["result"], "\(back.status) \(back.location ?? back.body)")
            #expect(try await call("/completion", "result", result).status == 201)
            #expect(try await linking.identities() == 2)
        }
    }
}
