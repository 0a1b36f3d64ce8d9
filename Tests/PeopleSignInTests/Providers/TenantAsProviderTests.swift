import Access
import Foundation
import Server
import TestSupport
import Testing

/// A member of Acme signs in with Globex, the other tenant of the installation.
@Suite("Tenant as a provider")
struct TenantAsProviderTests {
    @Test("an invited person signs in with the provider, becomes a member, and acts for this tenant only")
    func invited() async throws {
        try await TenantAsProvider.run { provider in
            let (platform, email) = (provider.platform, "dorothy@customer.test")
            #expect(try await platform.call("POST", "/tenants/acme/sso/check").json["is_ready"] as? Bool == true)
            _ = try await provider.sso.prove()
            try await provider.sso.invite(email)
            try await provider.addToApple("Dorothy Vaughan", email)
            let browser = provider.browser
            let back = try await provider.signIn(email, as: "Dorothy Vaughan", in: browser)
            #expect(back.status == 303 && back.location == "/account", "\(back.status) \(back.body)")
            let page = try await browser.get("\(provider.root)/account")
            #expect(page.status == 200 && page.body.contains("Acme") && !page.body.contains("Globex"), "\(page.body)")

            let members = try await platform.call("GET", "/tenants/acme/members").elements
            #expect(members.map { $0["email"] as? String } == [email])
            #expect(members.map { $0["name"] as? String } == ["Dorothy Vaughan"])
            #expect(members.map { $0["role"] as? String } == ["developer"])
            #expect(try await platform.count("invitation", where: "accepted_at IS NOT NULL") == 1)
            #expect(try await provider.sso.sessions(where: "only_tenant_id = '\(platform.acmeUUID)' AND methods = '{fed}'") == 1)
            let person = try #require(members.first?["person_id"] as? String)
            #expect(try await provider.actions(of: person, in: "tenants/acme") == ["acceptInvitation"])
            #expect(try await provider.actions(of: person, in: "platform") == ["ssoCallback"])
            let named = "actor = '\(person)' AND session_id = (SELECT after->>'session' FROM audit_event WHERE action = 'ssoCallback')"
            #expect(try await platform.count("audit_event", where: named) == 2)

            let token = try await provider.terminal(of: browser)
            #expect(try await platform.call("GET", "/tenants/acme/members", key: token).status == 200)
            // The provider's own tenant, too.
            #expect(try await platform.call("GET", "/tenants/globex/members", key: token).isProblem(404, "not_found"))
            for path in ["/tenants", "/platform/people"] {
                #expect(try await platform.call("GET", path, key: token).status == 403, "\(path)")
            }
        }
    }

    @Test("when the provider is required, the right password of a member signs nobody in, and the provider does")
    func required() async throws {
        try await TenantAsProvider.run { provider in
            _ = try await provider.sso.prove("example.com")
            let account = try await OwnAccount.make(provider.platform)
            try await provider.sso.invite(account.email)
            try await provider.addToApple("Ada at Globex", account.email)
            #expect(try await provider.signIn(account.email, as: "Ada at Globex", in: provider.browser).location == "/account")
            let before = try await provider.givePassword(OwnAccount.password, of: account.email)
            #expect(before.location == "/account/sign-in/code", "\(before.status) \(before.body)")

            try await provider.require()
            let refused = try await provider.givePassword(OwnAccount.password, of: account.email)
            #expect(refused.status == 403 && refused.location == nil, "\(refused.status)")
            #expect(refused.body.contains("only with its own service"), "\(refused.body)")
            #expect(try await provider.signIn(account.email, as: "Ada at Globex", in: provider.browser).location == "/account")
        }
    }

    @Test("an Apple Account with another address is of no use at the provider")
    func otherAddress() async throws {
        try await TenantAsProvider.run { provider in
            _ = try await provider.sso.prove()
            try await provider.sso.invite("dorothy@customer.test")
            try await provider.addToApple("Eve at Globex", "eve@customer.test")
            let browser = provider.browser
            let refused = try await provider.signIn("dorothy@customer.test", as: "Eve at Globex", in: browser)
            #expect(refused.status == 403 && refused.body.contains("administrator") && refused.body.contains("href=\"/account/sign-in\""))
            #expect(browser.cookies["espalier-account"] == nil)
            #expect(try await provider.platform.count("membership") == 0)
        }
    }
}
