import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// An attacker with an Apple Account of the same address wants to become the owner of the account, or wants the owner to connect it.
@Suite("Attack: mailed links of linking")
struct MailedLinkTests {
    @Test("the owner who opens a link that somebody else asked for connects nothing, and the attacker has no other proof")
    func stranger() async throws {
        try await Linking.runWithMail { linking, server in
            let (attacker, owner) = (linking, linking.elsewhere)
            let page = try await attacker.page()
            let mail = try await attacker.mail(from: page, by: server)
            #expect(mail.recipient == linking.address)
            // The owner has signed in to the account, and even asked for a link.
            let own = try await owner.openLink(by: server)
            #expect(try await owner.browser.get(mail.link).isPage(400))
            // The attacker reads the page, the cookies and the form, but not the mail.
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            // A proof of another account, whose mailbox the attacker reads.
            let third = try await linking.platform.makePerson("Third Owner", email: linking.platform.address("third"))
            let fourth = try await linking.platform.makePerson("Fourth Owner", email: linking.platform.address("third"))
            _ = try await linking.platform.login(third)
            let other = linking.with(second: fourth)
            let foreign = try await other.mail(by: server)
            #expect(foreign.recipient == linking.platform.address("third"))
            // And one of another sign-in to the right account.
            let owners = try #require(TestBrowser.AppleForm(html: own.body)?["proof"])
            // One attempt has five tries.
            let proofs = [
                owners, String(foreign.link.split(separator: "=", maxSplits: 1)[1]), form["ticket"] ?? "", form["attempt"] ?? "", "",
                "x", "\u{301}",
            ]
            let cookies = attacker.browser.cookies
            for (number, proof) in proofs.enumerated() {
                attacker.browser.cookies = cookies
                let back = try await attacker.browser.post(
                    "\(linking.platform.acme.issuer)/oauth2/link/mail/confirmation", form: form.fields + [("proof", proof)])
                #expect(back["code"] == nil && back.status == (number < 5 ? 400 : 303), "\(proof.prefix(20)) \(back.status)")
            }
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.audited("linkIdentity").isEmpty)
        }
    }

    @Test("a form of another site, of another browser or of another tenant mails and connects nothing")
    func forged() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.page()
            let (other, headers) = (
                linking.elsewhere,
                [
                    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                    [("Origin", "null")],
                ]
            )
            _ = try await other.browser.authorize(other.request)
            for header in headers { #expect(try await linking.browser.press(page, "/mail", headers: header).isPage(400), "\(header)") }
            #expect(try await other.browser.press(page, "/mail").isPage(400))
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            let globex = "\(linking.platform.globex.issuer)/oauth2/link/mail"
            #expect(try await linking.browser.post(globex, form: form.fields).isPage(400))
            for field in ["attempt", "ticket"] {
                for value in [nil, "", "x", "\u{301}"] as [String?] {
                    #expect(try await linking.browser.press(page, "/mail", replacing: [field: value]).isPage(400), "\(field)")
                }
            }
            #expect(server.mails.isEmpty)
            #expect(try await linking.platform.audited("mailLinkProof").isEmpty)

            let asking = try await linking.openLink(from: page, by: server)
            for header in headers { #expect(try await linking.browser.press(asking, headers: header).isPage(400), "\(header)") }
            #expect(try await other.browser.press(asking).isPage(400))
            let confirmation = try #require(TestBrowser.AppleForm(html: asking.body))
            #expect(try await linking.browser.post("\(globex)/confirmation", form: confirmation.fields).isPage(400))
            for value in [nil, "", "x", "\u{301}", (confirmation["proof"] ?? "") + "\u{301}"] as [String?] {
                #expect(try await linking.browser.press(asking, replacing: ["proof": value]).status != 200)
            }
            #expect(try await linking.platform.count("identity") == 1)
        }
    }

    @Test("any change between the mail and the confirmation prevents the link, and nobody is signed in")
    func changedMeanwhile() async throws {
        let ofOwner: [@Sendable (Linking) async throws -> Void] = [
            { _ = try await $0.platform.call("DELETE", "/tenants/acme/users/\($0.owner.user)") },
            { _ = try await $0.platform.call("POST", "/tenants/acme/users/\($0.owner.user)/sessions/revoke") },
        ]
        for (number, change) in (Linking.changesThatPrevent + ofOwner).enumerated() {
            try await Linking.runWithMail { linking, server in
                let page = try await linking.openLink(by: server)
                let before = try await linking.platform.count("session")
                try await change(linking)
                let answer = try await linking.browser.press(page)
                #expect(answer.status == 400 && answer.body.contains("nothing was connected"), "\(number) \(answer.status) \(answer.body)")
                #expect(try await linking.platform.audited("linkIdentity").isEmpty, "\(number)")
                #expect(try await linking.platform.count("session") <= before + 1, "\(number)")
            }
        }
    }

    @Test("a link does not bring an Apple Account back that was removed")
    func afterRemoval() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.openLink(by: server)
            let cookies = linking.browser.cookies
            // The code is not used, so the same form would get another one.
            #expect(try await linking.browser.press(page)["code"] != nil)
            let details = try await linking.platform.call("GET", "/tenants/acme/users/\(linking.owner.user)")
            let identities = details.json["identities"] as? [[String: any Sendable]]
            let second = try #require(identities?.last?["id"] as? String)
            let path = "/tenants/acme/users/\(linking.owner.user)/identities/\(second)"
            #expect(try await linking.platform.call("DELETE", path).status == 204)
            linking.browser.cookies = cookies
            let answer = try await linking.browser.press(page)
            #expect(answer.status == 400 && answer.body.contains("nothing was connected"), "\(answer.status) \(answer.body)")
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("an application of a third party gets neither a code without consent nor a silent sign-in by a mailed link")
    func thirdParty() async throws {
        try await Linking.runWithMail(["single_sign_on": true], application: 2) { linking, server in
            try await linking.makeThirdParty(linking.request.application.client_id)
            let asking = try await linking.openLink(by: server)
            let cookies = linking.browser.cookies
            for _ in 0..<2 {
                // The second time, the browser reloads the page.
                let question = try await linking.browser.press(asking)
                #expect(question.asksForConsent(setsCookies: true), "\(question.status) \(question.location ?? question.body)")
            }
            let question = try await linking.browser.press(asking)
            let refused = try await linking.browser.decide(.refuse, on: question)
            #expect(refused.reports(linking.request, "access_denied"))
            #expect(try await linking.browser.decide(.allow, on: question).isPage(400))
            #expect(try await linking.platform.count("consent") == 0)
            #expect(try await linking.platform.audited("linkIdentity").count == 1)

            linking.browser.cookies = cookies
            let allowed = try await linking.browser.decide(.allow, on: try await linking.browser.press(asking))
            #expect(try await linking.user(allowed) == linking.owner.user)
            #expect(try await linking.platform.count("session", where: "is_silent") == 0)
        }
    }

    @Test("confirmations of one link cost a bounded number of statements")
    func flood() async throws {
        try await Linking.runWithMail { linking, server in
            let page = try await linking.openLink(by: server)
            let cookies = linking.browser.cookies
            var refused = 0
            for _ in 0..<8 {
                linking.browser.cookies = cookies
                if try await linking.browser.press(page)["error"] == "temporarily_unavailable" { refused += 1 }
            }
            #expect(refused >= 2)
            #expect(try await linking.identities() == 2)
        }
    }
}
