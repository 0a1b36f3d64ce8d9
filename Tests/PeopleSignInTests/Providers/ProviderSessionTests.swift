import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

/// The session of a tenant's provider in the own account. The tenant decides on the provider, and the person may be a member of others.
@Suite("Session of a provider")
struct ProviderSessionTests {
    private static let email = "ada@customer.test"

    /// Runs a body with a member of Acme and Globex who has signed in with the provider of Acme, and with another session of this person.
    private static func run(
        _ body: @Sendable @escaping (SSOPlatform, TestBrowser, _ person: ID<Person>, _ other: ID<PersonSession>) async throws -> Void
    ) async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let (person, now) = (ID<Person>(try await sso.add(email)), Date())
                let globex = try #require(ID<Tenant>(sso.platform.globex.id)).uuid
                var random = SystemRandomNumberGenerator()
                let other = PersonSession.New(
                    ID(at: now), of: person, .browser, methods: ["pwd", "otp", "mfa"], userAgent: "Test/1", address: "203.0.113.7")
                _ = try await sso.platform.ownerPool.run([
                    Membership.insert(ID(at: now), of: person, as: .builtIn(.developer), owner: globex, at: now),
                    other.insert(PersonSession.makeSecret(using: &random), keyring: sso.platform.settings.keyring, at: now),
                ])
                let browser = TestBrowser(sso.platform)
                #expect(try await sso.signIn(email, at: provider, in: browser).status == 303)
                try await body(sso, browser, person, other.id)
            }
        }
    }

    @Test("it sees the name, the address and one membership, each other page explains itself, and it changes nothing and knows no browser")
    func account() async throws {
        try await Self.run { _, browser, _, _ in
            let page = try await browser.get("\(SSOPlatform.root)/account")
            #expect(page.status == 200 && page.body.contains("Acme") && !page.body.contains("Globex"), "\(page.body)")
            #expect(page.body.contains(Self.email) && page.body.contains("<h2>Your name</h2>"))
            for path in ["name", "email", "password", "totp", "new-totp", "recovery-codes", "passkeys", "new-passkey"] {
                #expect(!page.body.contains("/account/\(path)\""))
                let answer = try await browser.get("\(SSOPlatform.root)/account/\(path)")
                #expect(answer.status == 200 && answer.body.contains("<h1>Your organization signs you in</h1>"), "\(path)")
                #expect(answer.body.contains("href=\"/account/sign-in?again=/account/\(path)\"") && !answer.body.contains("<form"))
                #expect(answer.body.contains("Back to your account"))
            }
            let csrf = try SSOPlatform.csrf(page)
            for path in ["name", "email", "password", "recovery-codes", "apple/link"] {
                let form = [("csrf", csrf), ("name", "Eve"), ("email", "eve@customer.test"), ("password", "a quite different phrase")]
                let answer = try await browser.post("\(SSOPlatform.root)/account/\(path)", form: form)
                #expect(answer.status == 303 && answer.location == (path == "apple/link" ? "/account" : "/account/\(path)"), "\(path)")
            }
            #expect(try await browser.get("\(SSOPlatform.root)/account").body.contains("<bdi>Ada</bdi>"))
            // A provider must not prepare guesses of the password.
            #expect(browser.cookies["__Host-espalier-account-browser"] == nil)
        }
    }

    @Test("it neither lists nor ends the other sessions of the person")
    func sessions() async throws {
        try await Self.run { sso, browser, _, other in
            let page = try await browser.get("\(SSOPlatform.root)/account/sessions")
            #expect(page.body.matches(of: /<h2>/).count == 1 && !page.body.contains("203.0.113.7"), "\(page.body)")
            let form = [("csrf", try SSOPlatform.csrf(try await browser.get("\(SSOPlatform.root)/account")))]
            for path in ["\(other)/end", "end"] {
                #expect(try await browser.post("\(SSOPlatform.root)/account/sessions/\(path)", form: form).status == 303)
            }
            #expect(try await sso.sessions(where: "ended_at IS NOT NULL") == 0)
        }
    }

    @Test("the person leaves the tenant of the provider with it, and no other tenant")
    func leaves() async throws {
        try await Self.run { sso, browser, person, _ in
            for row in try await sso.platform.ownerPool.run(Membership.all(of: person)) {
                let path = "/account/memberships/\(try Membership(row).id)"
                let page = try await browser.get(SSOPlatform.root + path)
                if page.status == 200 { #expect(try await browser.sendForm("\(path)/leave", of: page).status == 303) }
            }
            let globex = try #require(ID<Tenant>(sso.platform.globex.id)).uuid
            #expect(try await sso.platform.count("membership") == 1)
            #expect(try await sso.platform.count("membership", where: "tenant_id = '\(globex)'") == 1)
        }
    }
}
