import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show account")
struct ShowAccountTests {
    @Test("the page has each part of the account, and no part of another one")
    func parts() async throws {
        try await TestPlatform.run { platform in
            let (account, _) = (try await OwnAccount.make(platform), try await OwnAccount.make(platform, "Grace"))
            let tenant = try #require(ID<Tenant>(platform.acme.id)).uuid
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: account.id, as: .builtIn(.developer), owner: tenant, at: Date()))
            let page = try await account.get("/account")
            #expect(page.status == 200 && page.header("Cache-Control")?.contains("no-store") == true)
            for part in [
                "Ada", "ada@example.com", "Authenticator app", "Unused codes: 0", "Passkeys", "Acme", "Developer", "/account/sign-out",
            ] {
                #expect(page.body.contains(part), "\(part)")
            }
            // A screen reader lists the links without the headings around them.
            let names = page.body.matches(of: /<a href="[^"]*" aria-label="([^"]*)"/).map { String($0.1) }
            #expect(names.contains("Change: Password") && names.contains("Add a passkey: Passkeys") && Set(names).count == names.count)
            #expect(page.body.contains("You have no passkey."))
            // The heading of an item is not larger than that of its section.
            #expect(page.body.contains("h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }"))
            #expect(page.body.contains("h3 { margin: 1rem 0 .25rem; font-size: 1rem; }"))
            #expect(!page.body.lowercased().contains("grace") && !page.body.contains("<script"))
        }
    }

    @Test("the sign-out comes once, after all sections")
    func signOut() async throws {
        try await TestPlatform.run { platform in
            let page = try await OwnAccount.make(platform).get("/account")
            let parts = page.body.components(separatedBy: "action=\"/account/sign-out")
            #expect(parts.count == 2)
            #expect(parts[0].contains("<h2>Memberships</h2>") && !(parts.last ?? "").contains("<h2>"))
        }
    }

    @Test("without a session, each page leads to the sign-in, and each form is refused or does")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let pages = [
                "", "/name", "/email", "/password", "/totp", "/new-totp", "/recovery-codes", "/passkeys", "/new-passkey", "/sessions",
            ]
            for path in pages {
                let answer = try await browser.get("\(TestPlatform.publicURL)/account\(path)")
                #expect(answer.status == 303 && answer.location == "/account/sign-in?again=/account\(path)", "\(path)")
            }
            let forms = [
                "/name", "/email", "/password", "/totp", "/totp/removal", "/new-totp", "/recovery-codes", "/new-passkey", "/sessions/end",
            ]
            for path in forms {
                let answer = try await browser.post("\(TestPlatform.publicURL)/account\(path)", form: [("name", "Mallory")])
                #expect(answer.status == 303 && answer.location?.hasPrefix("/account/sign-in") == true, "\(path)")
            }
        }
    }
}
