import Access
import Encoding
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// Attacks with the settings of a tenant's provider, and on the sign-ins that it requires.
@Suite("Attack: provider of a tenant")
struct SSOTakeoverTests {
    private static let email = "ada@customer.test"

    @Test("nobody with fewer scopes than an owner sets or deletes the provider or its domains, and the owners get a mail about each change")
    func ownProvider() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await SSOPlatform.run({ $0.mail = settings }) { sso in
                let platform = sso.platform
                _ = try await sso.add(Self.email, as: "owner")
                #expect(try await sso.set("https://id.customer.test").status == 200)
                let domain = try await sso.create()
                try sso.publish(domain)
                let scopes = APIKey.Scope.allCases.map(\.rawValue).filter { $0 != "usage:write" }
                let key = try #require(try await platform.issue(scopes: scopes).string("secret"))
                let provider = ["issuer": "https://evil.test", "client_id": "x", "client_secret": "x"]
                let path = "/tenants/acme/sso"
                for (method, path, body) in [
                    ("PUT", path, provider), ("DELETE", path, nil), ("POST", "\(path)/domains", ["domain": "evil.test"]),
                    ("POST", "\(path)/domains/\(domain.resourceID)/verify", nil),
                    ("DELETE", "\(path)/domains/\(domain.resourceID)", nil),
                ] as [(String, String, [String: any Sendable]?)] {
                    let answer = try await platform.call(method, path, key: key, body)
                    #expect(answer.isProblem(403, "insufficient_scope"), "\(method) \(path): \(answer.status) \(answer.body)")
                }
                #expect(try await platform.call("GET", path).string("issuer") == "https://id.customer.test")
                #expect(try await platform.call("DELETE", path).status == 204)
                func count() -> Int { mails.mails.count { $0.recipient == Self.email } }
                try await eventually("both mails") { count() == 2 }
                let texts = mails.mails.compactMap { $0.part("plain") }
                let set = ["https://id.customer.test", "apikey_", "is not required"]
                #expect(texts.contains { text in set.allSatisfy { text.contains($0) } })
                #expect(!texts.contains { $0.contains("evil.test") })
            }
        }
    }

    @Test("the sessions of a provider end with it, with another issuer, and with the domain, and live for 24 hours at most")
    func lostProvider() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let platform = sso.platform
                _ = try await sso.add(Self.email)
                _ = try await sso.prove("other.test")
                let active = "ended_at IS NULL AND only_tenant_id IS NOT NULL"
                func signIn() async throws -> TestBrowser {
                    let browser = TestBrowser(platform)
                    #expect(try await sso.signIn(Self.email, at: provider, in: browser).status == 303)
                    #expect(try await sso.sessions(where: "\(active) AND expires_at > created_at + interval '24 hours'") == 0)
                    return browser
                }
                func domains() async throws -> [String: String] {
                    let listed = try await platform.call("GET", "/tenants/acme/sso/domains").elements
                    return Dictionary(uniqueKeysWithValues: listed.map { ($0["domain"] as? String ?? "", $0["id"] as? String ?? "") })
                }
                let path = "/tenants/acme/sso"
                let ids = try await domains()
                var browser = try await signIn()
                // Another domain is not that of the address.
                #expect(try await platform.call("DELETE", "\(path)/domains/\(ids["other.test"] ?? "")").status == 204)
                #expect(try await sso.sessions(where: active) == 1)
                #expect(try await platform.call("DELETE", "\(path)/domains/\(ids["customer.test"] ?? "")").status == 204)
                #expect(try await sso.sessions(where: active) == 0)
                #expect(try await browser.get("\(SSOPlatform.root)/account").status == 303)
                _ = try await sso.prove()
                browser = try await signIn()
                _ = try await platform.ownerPool.run("UPDATE sso_domain SET state = 'inactive'")
                #expect(try await sso.sessions(where: active) == 0)
                _ = try await platform.ownerPool.run("UPDATE sso_domain SET state = 'active'")
                browser = try await signIn()
                #expect(try await sso.set("https://other.test").status == 200)
                #expect(try await sso.sessions(where: active) == 0)
                #expect(try await sso.set(provider.issuer).status == 200)
                browser = try await signIn()
                #expect(try await platform.call("DELETE", path).status == 204)
                #expect(try await sso.sessions(where: active) == 0)
                #expect(try await browser.get("\(SSOPlatform.root)/account").status == 303)
            }
        }
    }

    @Test("a sign-in without a time at the provider is not recent, and a page that needs a recent one asks the provider for the time")
    func oldSignIn() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                _ = try await sso.add(Self.email)
                let (browser, leave) = (TestBrowser(sso.platform), "\(SSOPlatform.root)/account/memberships/\(try await Self.member(sso))")
                provider.change(.init(claims: ["auth_time": Int?.none]))
                #expect(try await sso.signIn(Self.email, at: provider, in: browser).status == 303)
                #expect(try await sso.sessions(where: "authenticated_at > now() - interval '9 minutes'") == 0)
                #expect(try await browser.get(leave).location?.hasPrefix("/account/sign-in?again=") == true)
                // The step-up, without a session too.
                for browser in [browser, TestBrowser(sso.platform)] {
                    let page = try await browser.get("\(SSOPlatform.root)/account/sign-in?again=/account/sessions")
                    let asked = try await browser.post(
                        "\(SSOPlatform.root)/account/sign-in", form: [("csrf", try SSOPlatform.csrf(page)), ("email", Self.email)])
                    let answer = try await browser.post(
                        "\(SSOPlatform.root)/account/sso", form: [("csrf", try SSOPlatform.csrf(asked)), ("email", Self.email)])
                    let (code, query) = try provider.authorize(String(try #require(answer.header("Refresh")).dropFirst("0; url=".count)))
                    #expect(query["max_age"] == "300")
                    let refused = try await browser.get(SSOPlatform.callback(code, query["state"] ?? ""))
                    #expect(refused.status == 400 && refused.body.contains("within the last 10 minutes"), "\(refused.body)")
                }
                // The time at the provider counts, and not the time of the callback.
                provider.change(.init(claims: ["auth_time": Int(Date().timeIntervalSince1970) - 601]))
                #expect(try await sso.signIn(Self.email, at: provider, in: TestBrowser(sso.platform)).status == 303)
                #expect(try await sso.sessions(where: "authenticated_at > now() - interval '10 minutes'") == 0)
                provider.change(.init())
                #expect(try await sso.signIn(Self.email, at: provider, in: browser).status == 303)
                #expect(try await browser.get(leave).status == 200)
            }
        }
    }

    @Test("an account that only claims an address neither keeps its owner out of the tenant nor becomes a member")
    func claimedAddress() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let eve = try await sso.add(Self.email, as: nil)
                try await sso.invite("Ada@Customer.test")
                let browser = TestBrowser(sso.platform)
                #expect(try await sso.signIn(Self.email, at: provider, in: browser).status == 303)
                #expect(try await browser.get("\(SSOPlatform.root)/account").body.contains("Acme"))
                #expect(try await sso.platform.count("membership", where: "person_id = '\(eve)'") == 0)
                #expect(try await sso.platform.count("person_identity", where: "person_id = '\(eve)'") == 0)
                #expect(try await sso.platform.count("person", where: "id = '\(eve)' AND email = '\(Self.email)'") == 0)
                #expect(try await sso.platform.count("person", where: "email = '\(Self.email)' AND email_proved_at IS NOT NULL") == 1)
            }
        }
    }

    @Test("a required provider keeps nobody out of the platform or other tenants, and a suspended tenant requires nothing")
    func lockout() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                var ada = PersonClient(sso.platform, Self.email)
                try await ada.register(as: "viewer")
                try await sso.require(provider)
                #expect(try await ada.givePassword().status == 403)
                // Without a proved domain, nobody could sign in there.
                _ = try await sso.platform.ownerPool.run("UPDATE sso_domain SET state = 'inactive'")
                #expect(try await ada.givePassword().location == "/account/sign-in/code")
                _ = try await sso.platform.ownerPool.run("UPDATE sso_domain SET state = 'active'")
                _ = try await sso.platform.ownerPool.run("UPDATE tenant SET status = 'suspended' WHERE slug = 'acme'")
                #expect(try await ada.givePassword().location == "/account/sign-in/code")
                _ = try await sso.platform.ownerPool.run("UPDATE tenant SET status = 'active' WHERE slug = 'acme'")
                _ = try await sso.platform.ownerPool.run(
                    """
                    INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                    VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), \(try #require(await ada.id())), 'operator', now(), now())
                    """)
                #expect(try await ada.signIn().status == 303)
                let token = try await Self.terminal(of: ada.browser)
                #expect(try await sso.platform.call("GET", "/platform/people", key: token).status == 200)
            }
        }
    }

    @Test("a session that another sign-in started does not reach a tenant that requires its provider, also after a change of the address")
    func otherSession() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let platform = sso.platform
                var ada = PersonClient(platform, Self.email)
                try await ada.register(as: "viewer")
                let globex = try #require(ID<Tenant>(platform.globex.id))
                _ = try await platform.ownerPool.run(
                    """
                    INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                    VALUES (\(globex), gen_random_uuid(), \(try #require(await ada.id())), 'viewer', now(), now())
                    """)
                let token = try await Self.terminal(of: ada.browser)
                func status(_ tenant: String, _ token: String) async throws -> Int {
                    try await platform.call("GET", "/tenants/\(tenant)/members", key: token).status
                }
                #expect(try await status("acme", token) == 200)
                try await sso.require(provider)
                try await eventually("the requirement has an effect") { try await status("acme", token) == 404 }
                #expect(try await status("globex", token) == 200)
                let page = try await ada.open("")
                #expect(page.body.contains("own service"), "\(page.body)")
                let leads = try await ada.browser.post(
                    "\(SSOPlatform.root)/account/sso", form: TerminalPerson.fields(of: "/account/sso", in: page))
                #expect(leads.header("Refresh")?.contains(provider.issuer) == true, "\(leads.status) \(leads.body)")
                // Nobody leaves the provider by another address, and the page says so before.
                let reason = try await ada.open("/email").body
                #expect(reason.contains("you cannot change it here") && !reason.contains("<form"), "\(reason)")
                let moved = try await ada.browser.post(
                    "\(SSOPlatform.root)/account/email", form: [("csrf", try SSOPlatform.csrf(page)), ("email", "ada@private.test")])
                #expect(moved.status == 403, "\(moved.body)")

                let browser = TestBrowser(platform)
                #expect(try await sso.signIn(Self.email, at: provider, in: browser).status == 303)
                let own = try await Self.terminal(of: browser)
                #expect(try await status("acme", own) == 200)
                #expect(try await status("globex", own) == 404)
                _ = try await platform.ownerPool.run("UPDATE person SET email = 'ada@other.test'")
                for _ in 0..<10 {
                    #expect(try await status("acme", token) == 404)
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(try await sso.set(provider.issuer, secret: nil, ["is_required": false]).status == 200)
                try await eventually("the requirement is over") { try await status("acme", token) == 200 }
            }
        }
    }

    /// The token of a terminal that the person of a browser has allowed.
    private static func terminal(of browser: TestBrowser) async throws -> String {
        let (program, path) = (TerminalPerson.Program(), "/account/oauth2/approval")
        _ = try await browser.get(TestBrowser.Request.url("\(TerminalPerson.issuer)/oauth2/authorize", program.query))
        let page = try await browser.get(SSOPlatform.root + path)
        let allowed = try await browser.post(SSOPlatform.root + path, form: TerminalPerson.fields(of: path, in: page))
        let tokens = try await browser.post(
            "\(TerminalPerson.issuer)/oauth2/token",
            form: [
                ("grant_type", "authorization_code"), ("client_id", "espalierctl"), ("code", allowed["code"] ?? ""),
                ("redirect_uri", program.redirectURI), ("code_verifier", program.verifier),
            ])
        return try #require(tokens.string("access_token"), "\(page.body) \(allowed.status) \(tokens.body)")
    }

    /// The ID of the member of Acme.
    private static func member(_ sso: SSOPlatform) async throws -> String {
        try #require(try await sso.platform.call("GET", "/tenants/acme/members").elements.first?["id"] as? String)
    }
}
