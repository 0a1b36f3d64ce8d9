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
