import Access
import Foundation
import Mail
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users
import Web

@Suite("Mail the proof of an account")
struct MailLinkProofTests {
    private static let button = "Send me a link by mail"

    @Test("the mail goes to the address of the page, with a link, and says nothing about the account or the sign-in")
    func mailed() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.page()
            #expect(page.body.contains(Self.button))
            let sent = try await linking.browser.press(page, "/mail")
            #expect(sent.isPage(200, setsCookies: true), "\(sent.status) \(sent.body)")
            #expect(sent.body.contains("Look into your mailbox") && sent.body.contains(linking.address))
            #expect(!sent.body.contains("<form") && !sent.body.contains(linking.owner.user))

            let mail = try await eventually("the mail arrives") { server.mails.first }
            #expect(mail.recipient == linking.address)
            #expect(mail.header("Subject") == "Your sign-in to Acme")
            let (text, html) = (try #require(mail.part("plain")), try #require(mail.part("html")))
            #expect(mail.link.hasPrefix("\(linking.platform.acme.issuer)/oauth2/link/mail?ticket="))
            #expect(mail.link.utf8.count < 1000 && html.contains("<a href=\"\(mail.link)\">"))
            #expect(html.hasPrefix("<!doctype html>\n<html lang=\"en\" dir=\"ltr\">"))
            for part in [text, html] {
                #expect(part.contains("If you did not ask for the link, ignore the mail."))
                #expect(part.contains("Do not forward the mail, and do not give the link to anyone."))
                for secret in ["First", "Second", linking.owner.user, linking.request.application.client_id, "src="] {
                    #expect(!part.contains(secret), "\(secret)")
                }
            }

            let audited = try await linking.platform.audited("mailLinkProof")
            #expect(audited.map(\.subject) == [linking.owner.user])
            #expect(audited.map(\.actor) == [linking.request.application.client_id])
            #expect(audited.first?.text.contains(linking.address) == false)
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.count("tenant_user") == 1)
        }
    }

    @Test("page and mail have the language that the person asked for, and the link keeps it")
    func language() async throws {
        try await Linking.runWithMail { linking, server in
            let toApple = try await linking.browser.get(linking.request.authorizeURL(changing: ["ui_locales": "ar"]))
            let page = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            let sent = try await linking.browser.post(
                TestPlatform.publicURL + form.action.replacing("?", with: "/mail?"), form: form.fields)
            #expect(sent.status == 200 && sent.header("Content-Language") == "ar")
            let mail = try await eventually("the mail arrives") { server.mails.first }
            #expect(mail.part("html")?.contains("<html lang=\"ar\" dir=\"rtl\">") == true)
            #expect(try await linking.browser.get(mail.link).header("Content-Language") == "ar")
        }
    }

    @Test("a tenant whose name has a line separator sends mails, too")
    func lineSeparator() async throws {
        try await Linking.runWithMail(["name": "Ac\u{2028}me"]) { linking, server in
            let mail = try await linking.mail(by: server)
            #expect(mail.header("Subject") == "Your sign-in to Ac me")
        }
    }

    @Test("without a mail server, there is no button, and the form is refused")
    func noSender() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            #expect(!page.body.contains(Self.button))
            // The page may be of a server that has a mail server.
            let answer = try await linking.browser.press(page, "/mail")
            #expect(answer.isPage(503, setsCookies: true) && answer.body.contains("Links by mail do not work"), "\(answer.status)")
            #expect(try await linking.platform.count("mail") == 0)
            #expect(try await linking.platform.audited("mailLinkProof").isEmpty)
        }
    }

    @Test("a sign-in that does not fit into the cookies of the browser has no button")
    func longState() async throws {
        try await Linking.runWithMail { linking, _ in
            let url = linking.request.authorizeURL(changing: ["state": String(repeating: "a", count: 2620)])
            let toApple = try await linking.browser.get(url)
            let page = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
            #expect(linking.asks(page), "\(page.status)")
            #expect(!page.body.contains(Self.button))
            #expect(try await linking.browser.press(page, "/mail").isPage(400))
        }
    }

    @Test("an address gets three mails in 15 minutes, from all browsers together, and a page says when to try again")
    func limit() async throws {
        try await Linking.runWithMail { linking, _ in
            let page = try await linking.page()
            for _ in 0..<3 { #expect(try await linking.browser.press(page, "/mail").status == 200) }
            let other = linking.elsewhere
            for answer in [
                try await linking.browser.press(page, "/mail"), try await other.browser.press(try await other.page(), "/mail"),
            ] {
                #expect(answer.isPage(429), "\(answer.status) \(answer.body)")
                let seconds = try #require(answer.header("Retry-After").flatMap { Int($0) })
                #expect((800...900).contains(seconds) && answer.body.contains("in 15 minutes"))
                #expect(answer.body.contains("You can go back and choose another way."))
                #expect(answer.body.contains("Several mails with a link have been sent in a short time."))
            }
            #expect(try await linking.platform.audited("mailLinkProof").count == 3)
            // The limit ends.
            let shifted = try await linking.platform.ownerPool.run(
                "UPDATE audit_event SET occurred_at = occurred_at - interval '15 minutes' WHERE action = 'mailLinkProof'")
            #expect(shifted.affected == 3)
            #expect(try await other.browser.press(try await other.page(), "/mail").status == 200)
        }
    }

    @Test("an address gets ten mails in 24 hours, and the page names no newest mail, because its link no longer works")
    func dayLimit() async throws {
        try await Linking.runWithMail { linking, _ in
            func shift(_ interval: String) async throws {
                _ = try await linking.platform.ownerPool.run(
                    "UPDATE audit_event SET occurred_at = occurred_at - \(interval)::interval WHERE action = 'mailLinkProof'")
            }
            for mails in [3, 3, 3, 1] {
                let other = linking.elsewhere
                let page = try await other.page()
                for _ in 0..<mails { #expect(try await other.browser.press(page, "/mail").status == 200) }
                try await shift("1 hour")
            }
            let other = linking.elsewhere
            let page = try await other.page()
            let answer = try await other.browser.press(page, "/mail")
            #expect(answer.isPage(429) && answer.body.contains("choose another way"), "\(answer.status) \(answer.body)")
            #expect(answer.body.contains("Ten mails with a link have been sent in the last 24 hours."))
            #expect(!answer.body.contains("newest mail") && !answer.body.contains("short time"))
            // The first of the ten was 4 hours ago.
            let seconds = try #require(answer.header("Retry-After").flatMap { Int($0) })
            #expect((71_000...72_000).contains(seconds))
            try await shift("20 hours")
            #expect(try await other.browser.press(page, "/mail").status == 200)
        }
    }

    @Test("requests that get no mail take nothing from the mails of the tenant")
    func refusals() async throws {
        try await Linking.runWithMail { linking, _ in
            let page = try await linking.page()
            for _ in 0..<3 { #expect(try await linking.browser.press(page, "/mail").status == 200) }
            try Self.useUp(MailSender.perMinute - 1, of: linking.platform)
            for _ in 0..<5 { #expect(try await linking.browser.press(page, "/mail").status == 429) }
            let third = try await linking.platform.makePerson("Third Owner", email: linking.platform.address("third"))
            let fourth = try await linking.platform.makePerson("Fourth Owner", email: linking.platform.address("third"))
            _ = try await linking.platform.login(third)
            let other = linking.with(second: fourth)
            let otherPage = try await other.page()
            #expect(try await other.browser.press(otherPage, "/mail").status == 200)
            #expect(try await other.browser.press(otherPage, "/mail").status == 429)
        }
    }

    /// Takes from the mails of Acme. In the future, so that no time gives one back during the test.
    private static func useUp(_ mails: Int, of platform: TestPlatform) throws {
        let (sender, tenant) = (try #require(platform.installation.mail), try #require(ID<Tenant>(platform.acme.id)))
        for _ in 0..<mails { #expect(sender.take(of: tenant.uuid, at: .now + .seconds(3600)).isGranted) }
    }

    @Test("if the mails of the tenant are used up, a page asks to wait, and does not say that the person got mails")
    func tenantLimit() async throws {
        try await Linking.runWithMail { linking, _ in
            try Self.useUp(MailSender.perMinute, of: linking.platform)
            let answer = try await linking.browser.press(try await linking.page(), "/mail")
            #expect(answer.isPage(429) && answer.body.contains("Links by mail do not work"), "\(answer.status) \(answer.body)")
            #expect(!answer.body.contains("newest mail"))
            #expect(answer.header("Retry-After") == "1")
        }
    }

    @Test("the forms that ask for mails take nothing from the other ways")
    func otherTries() async throws {
        try await Linking.runWithMail { linking, _ in
            let page = try await linking.page()
            for number in 0..<8 { #expect(try await linking.browser.press(page, "/mail").status == (number < 3 ? 200 : 429)) }
            #expect(try await linking.user(linking.browser.press(page, "/separate")) != linking.owner.user)
        }
    }

    @Test("after a change, the name waits for the next sign-in with the same Apple Account")
    func keepsName() async throws {
        try await Linking.runWithMail { linking, _ in
            let page = try await linking.page()
            try await linking.platform.set(["account_linking": "off"])
            let answer = try await linking.browser.press(page, "/mail")
            #expect(answer.isPage(400, setsCookies: true), "\(answer.status) \(answer.body)")
            let user = try await linking.user(linking.browser.signIn(linking.request, person: linking.second))
            #expect(user != linking.owner.user)
            #expect(try await linking.platform.user(user)?.givenName == "Second")
        }
    }

    @Test("requests at the same moment get no more mails")
    func atOnce() async throws {
        try await Linking.runWithMail { linking, _ in
            var tabs: [(TestBrowser, TestBrowser.Answer)] = []
            for _ in 0..<6 {
                let tab = linking.elsewhere
                tabs.append((tab.browser, try await tab.page()))
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for (browser, page) in tabs { tasks.addTask { try await browser.press(page, "/mail").status } }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 200, 200, 429, 429, 429])
            #expect(try await linking.platform.audited("mailLinkProof").count == 3)
        }
    }

    @Test("an account that has changed since the page gets no mail")
    func changed() async throws {
        let changes: [@Sendable (Linking) async throws -> Void] = [
            { _ = try await $0.platform.ownerPool.run("UPDATE tenant_user SET email = 'new@example.com'") },
            { _ = try await $0.platform.ownerPool.run("UPDATE tenant_user SET email_verified = false") },
            { try await $0.platform.set(["account_linking": "off"]) },
            { _ = try await $0.platform.call("DELETE", "/tenants/acme/users/\($0.owner.user)") },
        ]
        try await Linking.runWithMail { linking, server in
            for (number, change) in changes.enumerated() {
                let page = try await linking.page()
                try await change(linking)
                let answer = try await linking.browser.press(page, "/mail")
                #expect(answer.status == 400 && answer.body.contains("nothing was connected"), "\(number) \(answer.status) \(answer.body)")
                _ = try await linking.platform.ownerPool.run("UPDATE tenant_user SET email = \(linking.address), email_verified = true")
                try await linking.platform.set(["account_linking": "ask"])
            }
            #expect(server.mails.isEmpty)
            #expect(try await linking.platform.audited("mailLinkProof").isEmpty)
        }
    }
}
