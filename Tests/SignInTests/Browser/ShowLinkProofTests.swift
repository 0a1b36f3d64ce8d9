import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Show the page of a mailed link")
struct ShowLinkProofTests {
    @Test("it asks and changes nothing, however often it is opened")
    func page() async throws {
        try await Linking.runWithMail { linking, server in
            let link = try await linking.mail(by: server).link
            for _ in 0..<3 {
                let page = try await linking.browser.get(link, headers: [("Sec-Fetch-Site", "cross-site")])
                #expect(page.isPage(200) && linking.asksToConnect(page), "\(page.status) \(page.body)")
                #expect(page.body.contains(linking.address) && !page.body.contains("<script"))
                // Its address has the ticket, so it goes nowhere.
                #expect(page.header("Referrer-Policy") == "strict-origin" && page.header("Cache-Control") == "no-store")
                for text in ["First", linking.owner.user] { #expect(!page.body.contains(text), "\(text)") }
            }
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.count("identity") == 1)
            #expect(try await linking.platform.audited("linkIdentity").isEmpty)
        }
    }

    @Test("it still works after a reload of the page that sent the mail, and not after a sign-in with another Apple Account there")
    func backAtThePage() async throws {
        try await Linking.runWithMail { linking, server in
            let toApple = try await linking.browser.authorize(linking.request)
            let form = try await linking.browser.atApple(toApple, person: linking.second)
            let page = try await linking.browser.callback(form)
            let link = try await linking.mail(from: page, by: server).link
            // The person goes back, and the browser repeats Apple's response.
            #expect(linking.asks(try await linking.browser.callback(form)))
            #expect(linking.asksToConnect(try await linking.browser.get(link)))
            let third = try await linking.platform.makePerson("Third Owner", email: linking.address)
            let other = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: third))
            #expect(linking.asks(other), "\(other.status) \(other.location ?? other.body)")
            #expect(try await linking.browser.get(link).isPage(400))
            let another = try await linking.openLink(from: other, by: server)
            #expect(try await linking.user(linking.browser.press(another)) == linking.owner.user)
            #expect(linking.browser.cookies.isEmpty, "\(linking.browser.cookies.keys)")
            #expect(try await linking.platform.login(third).user == linking.owner.user)
        }
    }

    @Test("in another browser, it says so, has no form, and changes nothing")
    func otherBrowser() async throws {
        try await Linking.runWithMail { linking, server in
            let link = try await linking.mail(by: server).link
            let (empty, other) = (linking.elsewhere, linking.elsewhere)
            // A browser with a mail of its own.
            _ = try await other.mail(by: server)
            for browser in [empty.browser, other.browser] {
                let page = try await browser.get(link)
                #expect(page.isPage(400) && page.body.contains("works only in the browser in which you asked"), "\(page.body)")
                #expect(page.body.contains("Do not forward the mail, and do not give the link to anyone.") && !page.body.contains("<form"))
                #expect(!page.body.contains(linking.address))
            }
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("a ticket that is missing, forged, altered, repeated or of another tenant is refused, and no page repeats it")
    func refused() async throws {
        try await Linking.runWithMail { linking, server in
            let link = try await linking.mail(by: server).link
            let ticket = try #require(link.split(separator: "=", maxSplits: 1).last)
            let base = "\(linking.platform.acme.issuer)/oauth2/link/mail"
            let form = try #require(TestBrowser.AppleForm(html: try await linking.browser.get(link).body))
            for url in [
                base, "\(base)?ticket=", "\(base)?ticket=x", "\(link)x", "\(link)%CC%81", String(link.dropLast(3)),
                "\(link)&ticket=\(ticket)", "\(base)?ticket=\(form["ticket"] ?? "")", "\(base)?ticket=\(form["attempt"] ?? "")",
                "\(base)?ticket=\(String(repeating: "A", count: 4200))",
                link.replacing("/t/acme/", with: "/t/globex/"),
            ] {
                let page = try await linking.browser.get(url)
                #expect(page.isPage(400), "\(url) \(page.status)")
                #expect(!page.body.contains(ticket), "\(url)")
            }
            #expect(try await linking.browser.get(link.replacing("/t/acme/", with: "/t/nobody/")).isPage(404))
            #expect(linking.asksToConnect(try await linking.browser.get(link)))
        }
    }

    @Test("the log has no ticket of a link, and no address")
    func log() async throws {
        try await Linking.runWithMail { linking, server in
            let link = try await linking.mail(by: server).link
            let ticket = try #require(link.split(separator: "=", maxSplits: 1).last)
            try await SecondServer.run(beside: linking.platform) { second in
                _ = try await linking.browser.get("\(second.address)/t/acme/oauth2/link/mail?ticket=\(ticket)")
                _ = try await linking.browser.get("\(second.address)/t/acme/oauth2/link/mail?ticket=\(ticket)x")
                let log = second.log.text
                #expect(log.contains("action=showLinkProof"))
                #expect(!log.contains(ticket) && !log.contains(linking.address))
            }
        }
    }
}
