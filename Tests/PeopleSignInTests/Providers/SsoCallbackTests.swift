import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("SSO callback")
struct SsoCallbackTests {
    private static let email = "ada@customer.test"

    @Test("a member signs in, gets a session for the tenant only, and is found again by the account at the provider")
    func member() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let person = try await sso.add(Self.email)
                let browser = TestBrowser(sso.platform)
                let back = try await sso.signIn("Ada@Customer.test", at: provider, in: browser)
                #expect(back.status == 303 && back.location == "/account", "\(back.status) \(back.body)")
                #expect(browser.cookies.keys.sorted() == ["__Host-espalier-account"])
                let only = "only_tenant_id = '\(sso.platform.acmeUUID)' AND methods = '{fed}' AND person_id = '\(person)'"
                #expect(try await sso.sessions(where: only) == 1)
                #expect(try await sso.platform.count("sso_connection", where: "signed_in_at IS NOT NULL") == 1)
                // The address decides only once.
                _ = try await sso.platform.ownerPool.run("UPDATE person SET email = 'other@other.test'")
                provider.change(.init(claims: ["email": String?.none]))
                #expect(try await sso.signIn(Self.email, at: provider, in: browser).status == 303)
                #expect(try await sso.sessions() == 2)
                #expect(try await sso.sessions(where: "ended_reason = 'replaced'") == 1)
                #expect(try await sso.platform.count("person_identity") == 1)
                #expect(try await sso.platform.auditTrail(of: "ssoCallback").count == 2)
            }
        }
    }

    @Test("a mail tells a person of the first sign-in with the provider, and of no later one")
    func notice() async throws {
        try await TestMailServer.run { mails in
            let settings = try mails.settings()
            try await FakeProvider.run { provider in
                try await SSOPlatform.run(with: provider, { $0.mail = settings }) { sso in
                    _ = try await sso.add(Self.email)
                    for _ in 0..<2 {
                        #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 303)
                    }
                    let mail = try await mails.mail(to: Self.email)
                    #expect(mail.part("plain")?.contains("The service of your organization was connected to your account") == true)
                    _ = try await eventually("no mail waits") { try await sso.platform.count("mail") == 0 ? true : nil }
                    #expect(mails.mails.count == 1)
                }
            }
        }
    }

    @Test("an invited person without an account gets one, and the invitation is used up")
    func invited() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                try await sso.invite("Ada@customer.test")
                let back = try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform))
                #expect(back.status == 303, "\(back.body)")
                #expect(try await sso.platform.count("membership", where: "role = 'developer' AND name = 'Ada Lovelace'") == 1)
                #expect(try await sso.platform.count("invitation", where: "accepted_at IS NOT NULL") == 1)
                #expect(try await sso.platform.count("person", where: "email_proved_at IS NOT NULL AND sealed_password IS NULL") == 1)
                #expect(try await sso.platform.auditTrail(of: "acceptInvitation").count == 1)
            }
        }
    }

    @Test("an account whose address nobody has proved loses it and accepts no invitation, and one with a proved address does")
    func existing() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let proved = try await sso.add(Self.email, as: nil, isProved: true)
                try await sso.invite(Self.email)
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 303)
                #expect(try await sso.platform.count("membership", where: "person_id = '\(proved)'") == 1)
                _ = try await sso.platform.ownerPool.run(["DELETE FROM invitation", "DELETE FROM person"])
                let claimed = try await sso.add(Self.email, as: nil)
                try await sso.invite(Self.email)
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 303)
                #expect(try await sso.platform.count("membership", where: "email = '\(Self.email)' AND person_id <> '\(claimed)'") == 1)
                #expect(try await sso.platform.count("person", where: "id = '\(claimed)' AND email LIKE '%@address.invalid'") == 1)
            }
        }
    }

    @Test("an address of no proved domain leads to the password, and one of a proved domain can")
    func addresses() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let browser = TestBrowser(sso.platform)
                for email in ["ada@other.test", "ada@sub.customer.test", "ada@customer.test.other.test"] {
                    #expect(!(try await sso.enter(email, in: browser)).body.contains("/account/sso"))
                }
                let page = try await sso.enter(Self.email, in: browser)
                let form = [("csrf", try SSOPlatform.csrf(page)), ("email", Self.email), ("with", "password")]
                let password = try await browser.post("\(SSOPlatform.root)/account/sign-in", form: form)
                #expect(password.status == 200 && password.body.contains("/account/sign-in/password"))
            }
        }
    }

    @Test("a provider that fails gets one page, and the log has the step and no address")
    func refused() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                _ = try await sso.add(Self.email)
                provider.change(.init(claims: ["aud": "other"]))
                let refused = try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform))
                #expect(refused.status == 400 && !refused.body.contains("client ID") && !refused.body.contains(Self.email))
                #expect(try await sso.sessions() == 0)
            }
        }
    }
}

extension TestPlatform {
    var acmeUUID: UUID { ID<Tenant>(acme.id)!.uuid }
}
