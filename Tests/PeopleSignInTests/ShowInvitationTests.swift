import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Show invitation")
struct ShowInvitationTests {
    @Test(
        "the page shows the tenant, the role and the address, in the language of the browser",
        arguments: [
            ("de", "Einladung zu Acme", "Entwickler"), ("ja", "Acme", "開発者"), ("ar", "Acme", "مطوِّر"),
        ])
    func page(_ language: String, _ title: String, _ role: String) async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let link = try await ada.invite(as: "developer")
            let page = try await ada.browser.get(PersonClient.account + link, headers: [("Accept-Language", language)])
            #expect(page.status == 200 && page.header("Content-Language") == language)
            for text in [title, role, "ada@example.com"] { #expect(page.body.contains(text), "\(text)") }
            #expect(page.body.contains("autocomplete=\"new-password\"") && page.header("Cache-Control") == "no-store")
        }
    }

    @Test("a browser that another person uses says so, and the sign-in has the invited address")
    func another() async throws {
        try await TestPlatform.run { platform in
            let grace = try await OwnAccount.make(platform, "Grace")
            // Ada has no account.
            let ada = PersonClient(platform)
            let page = try await grace.get("/account" + (try await ada.invite(as: "viewer")))
            #expect(page.status == 200 && page.body.contains("autocomplete=\"new-password\""))
            #expect(page.body.contains("You are signed in as grace@example.com. This invitation is for ada@example.com."))
            // Linus has one.
            let linus = try await OwnAccount.make(platform, "Linus")
            let link = "/account" + (try await PersonClient(platform, linus.email).invite(as: "viewer"))
            let asked = try await grace.get(link)
            #expect(asked.body.contains("This invitation is for linus@example.com."))
            #expect(try await grace.browser.sendForm("/account/invitation", of: asked).location == "/account/sign-in")
            let signIn = try await grace.get("/account/sign-in")
            #expect(signIn.body.contains("value=\"linus@example.com\"") && !signIn.body.contains("grace@example.com"))
            // The invited person is not told.
            #expect(try await !linus.get(link).body.contains("This invitation is for"))
        }
    }

    @Test("a tenant that is suspended takes nobody in")
    func suspended() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let link = try await ada.invite()
            try await platform.suspend(platform.acme)
            #expect(try await ada.open(link).status == 404)
        }
    }
}
