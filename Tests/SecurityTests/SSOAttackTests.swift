import Access
import Encoding
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// Attacks on the sign-in of members with their company's provider (RFC 9700; OpenID Connect Core, section 16).
@Suite("Attack: single sign-on of members")
struct SSOAttackTests {
    private static let email = "ada@customer.test"

    @Test("a response of another issuer does not count, and neither does one for the provider of before")
    func otherIssuer() async throws {
        try await FakeProvider.run { provider in
            try await FakeProvider.run { evil in
                try await SSOPlatform.run(with: provider) { sso in
                    _ = try await sso.add(Self.email)
                    let browser = TestBrowser(sso.platform)
                    let (code, query) = try provider.authorize(try await sso.start(Self.email, in: browser))
                    let mixed = SSOPlatform.callback(code, query["state"] ?? "") + "&iss=" + evil.issuer.replacing(":", with: "%3A")
                    #expect(try await browser.get(mixed).status == 400)
                    // The owner changes the provider while a sign-in is open: the code of the old one goes to no server.
                    let (other, open) = try provider.authorize(try await sso.start(Self.email, in: browser))
                    _ = try await sso.set(evil.issuer)
                    #expect(try await browser.get(SSOPlatform.callback(other, open["state"] ?? "")).status == 400)
                    #expect(evil.forms.isEmpty && provider.forms.isEmpty)
                    #expect(try await sso.sessions() == 0)
                }
            }
        }
    }

    @Test("an address that the provider has not verified links nothing")
    func unverifiedEmail() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                _ = try await sso.add(Self.email)
                for verified: (any Sendable)? in [false, nil, "yes", 1] as [(any Sendable)?] {
                    provider.change(.init(claims: ["email_verified": verified]))
                    #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 403)
                }
                #expect(try await sso.sessions() == 0)
                #expect(try await sso.platform.count("person_identity") == 0)
            }
        }
    }

    @Test("a provider speaks for no address outside the proved domains of its tenant")
    func domainNotProved() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                _ = try await sso.create("pending.test")
                for email in ["eve@other.test", "eve@pending.test", "eve@sub.customer.test", "eve@customer.test.other.test"] {
                    _ = try await sso.add(email)
                    provider.change(.init(claims: ["email": email]))
                    #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 403, "\(email)")
                }
                // The domain is lost while a sign-in is open.
                _ = try await sso.add(Self.email)
                provider.change(.init())
                let browser = TestBrowser(sso.platform)
                let (code, query) = try provider.authorize(try await sso.start(Self.email, in: browser))
                _ = try await sso.platform.ownerPool.run("UPDATE sso_domain SET state = 'inactive' WHERE state = 'active'")
                #expect(try await browser.get(SSOPlatform.callback(code, query["state"] ?? "")).status == 403)
                #expect(try await sso.sessions() == 0)
            }
        }
    }

    @Test("the provider of one tenant signs in no member of another one, and no operator")
    func providerAssertsOtherTenantsMember() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                // A member of Globex with an address in Acme's domain, with the same provider linked there.
                let person = try await sso.add(Self.email, of: sso.platform.globex.id, isProved: true)
                let globex = try #require(ID<Tenant>(sso.platform.globex.id))
                _ = try await sso.platform.ownerPool.run([
                    """
                    INSERT INTO person_identity (id, person_id, issuer_tenant_id, issuer, subject, created_at)
                    VALUES (gen_random_uuid(), \(person), \(globex), \(provider.issuer), \(provider.subject), now())
                    """,
                    """
                    INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                    VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), \(person), 'operator', now(), now())
                    """,
                ])
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 403)
                #expect(try await sso.sessions() == 0)
                // A member who was removed has a link, and no way in.
                _ = try await sso.platform.ownerPool.run(
                    """
                    INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                    VALUES (\(try #require(ID<Tenant>(sso.platform.acme.id))), gen_random_uuid(), \(person), 'viewer', now(), now())
                    """)
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 303)
                #expect(try await sso.sessions(where: "only_tenant_id IS NULL") == 0)
                _ = try await sso.platform.ownerPool.run("DELETE FROM membership WHERE role = 'viewer'")
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 403)
            }
        }
    }

    @Test("a state works once and only in its browser, and an id_token has the nonce of its request")
    func nonceAndStateReplay() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                _ = try await sso.add(Self.email)
                let (browser, other) = (TestBrowser(sso.platform), TestBrowser(sso.platform))
                let (code, query) = try provider.authorize(try await sso.start(Self.email, in: browser))
                let url = SSOPlatform.callback(code, query["state"] ?? "")
                _ = try await sso.start(Self.email, in: other)
                #expect(try await other.get(url).status == 400)
                #expect(try await TestBrowser(sso.platform).get(url).status == 400)
                let kept = browser.cookies
                #expect(try await browser.get(url).status == 303)
                // The cookie again, with a new code.
                browser.cookies = kept
                let (again, _) = try provider.authorize(
                    "\(provider.issuer)/authorize?nonce=\(query["nonce"] ?? "")&state=\(query["state"] ?? "")")
                #expect(try await browser.get(SSOPlatform.callback(again, query["state"] ?? "")).status == 400)
                #expect(provider.forms.count == 1)
                // A code of another sign-in: its id_token has another nonce.
                let (foreign, _) = try provider.authorize(try await sso.start(Self.email, in: other))
                let (_, mine) = try provider.authorize(try await sso.start(Self.email, in: browser))
                #expect(try await browser.get(SSOPlatform.callback(foreign, mine["state"] ?? "")).status == 400)
                #expect(try await sso.sessions(where: "ended_at IS NULL") == 1)
            }
        }
    }

    @Test("an id_token without a signature, with a secret as the key, or with a key of somebody else signs nobody in")
    func algNoneAndHMAC() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                _ = try await sso.add(Self.email)
                var stolen = FakeProvider.Changes()
                stolen.key = try ClientKey()
                for changes in [
                    FakeProvider.Changes(header: ["alg": "none"]), .init(header: ["alg": "HS256"]), .init(header: ["alg": "RS256"]),
                    .init(header: ["kid": "other"]), stolen,
                ] {
                    provider.change(changes)
                    #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 400)
                }
                // A key in the header is not a key of the provider.
                var own = FakeProvider.Changes(header: ["jwk": try ClientKey().jwk])
                own.key = try ClientKey()
                provider.change(own)
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 400)
                #expect(try await sso.sessions() == 0)
            }
        }
    }

    @Test("no document and no token endpoint in a private network is called")
    func privateNetworkDiscovery() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run({ $0.allowsPrivateWebhooks = false }) { sso in
                #expect(try await sso.set(provider.issuer).status == 400)
                // A name that leads to a private address.
                _ = try await sso.set("https://localhost.customer.test")
                _ = try await sso.platform.ownerPool.run("UPDATE sso_connection SET issuer = \(provider.issuer)")
                let check = try await sso.platform.call("POST", "/tenants/acme/sso/check")
                #expect(check.body.contains("address_refused"), "\(check.body)")
                _ = try await sso.prove()
                let browser = TestBrowser(sso.platform)
                let page = try await sso.enter(Self.email, in: browser)
                let form = [("csrf", try SSOPlatform.csrf(page)), ("email", Self.email)]
                #expect(try await browser.post("\(SSOPlatform.root)/account/sso", form: form).status == 400)
                #expect(provider.forms.isEmpty)
            }
        }
    }

    @Test("another site starts no sign-in and no link, and the cookie of a sign-in is not a session")
    func crossSite() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let browser = TestBrowser(sso.platform)
                let page = try await sso.enter(Self.email, in: browser)
                let form = [("csrf", try SSOPlatform.csrf(page)), ("email", Self.email)]
                for path in ["sso", "apple", "apple/link", "apple/removal"] {
                    let url = "\(SSOPlatform.root)/account/\(path)"
                    #expect(try await browser.post(url, form: form, headers: [("Origin", "https://evil.test")]).status == 400)
                    let answer = try await browser.post(url, form: [("email", Self.email)])
                    #expect(answer.status == 400 || answer.location?.hasPrefix("/account/sign-in") == true, "\(path)")
                }
                _ = try await sso.start(Self.email, in: browser)
                #expect(try await browser.get("\(SSOPlatform.root)/account/sso/callback?state=x&code=y").status == 400)
                #expect(browser.cookies["__Host-espalier-account"] == nil)
            }
        }
    }

    @Test("with a required provider, a right password alone starts no sign-in of a member")
    func requiredProvider() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let person = try await sso.add(Self.email, as: "owner")
                _ = try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform))
                #expect(try await sso.set(provider.issuer, secret: nil, ["is_required": true]).status == 200)
                let browser = TestBrowser(sso.platform)
                let page = try await sso.enter(Self.email, in: browser)
                #expect(page.body.contains("/account/sso"))
                // A guess tells nothing about members.
                let wrong = try await browser.post(
                    "\(SSOPlatform.root)/account/sign-in/password",
                    form: [("csrf", try SSOPlatform.csrf(page)), ("email", Self.email), ("password", "wrong password here")])
                #expect(wrong.status == 400 && !wrong.body.contains("/account/sso"))
                #expect(try await sso.sessions(where: "person_id = '\(person)' AND only_tenant_id IS NULL") == 0)
            }
        }
    }
}
