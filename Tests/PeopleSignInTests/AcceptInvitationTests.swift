import Encoding
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Accept invitation")
struct AcceptInvitationTests {
    @Test("a new person becomes a member with the first code, and not before; the link is used up")
    func registers() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            let link = try await ada.invite(as: "admin")
            let page = try await ada.open(link)
            #expect(page.status == 200 && page.body.contains("Invitation to Acme") && page.body.contains("Admin"))
            #expect(page.header("Referrer-Policy") == "strict-origin")
            _ = try await ada.send("/invitation", [("name", "Ada"), ("password", ada.password)], from: page)
            #expect(try await platform.count("person") == 0)
            let codes = try await ada.enroll()
            #expect(codes.status == 200 && codes.body.contains("Your recovery codes") && ada.secret != nil, "\(codes.body)")
            #expect(try await platform.count("membership", where: "role = 'admin' AND name = 'Ada' AND email = 'ada@example.com'") == 1)
            #expect(try await platform.count("person", where: "email_proved_at IS NULL AND sealed_password IS NOT NULL") == 1)
            #expect(try await platform.count("audit_event", where: "action = 'acceptInvitation' AND actor LIKE 'person_%'") == 1)
            let again = try await ada.open(link)
            #expect(again.status == 404 && again.body.contains("This invitation was already used"))
            #expect(again.body.contains(#"href="/account""#) && again.body.contains("Continue to your account"), "\(again.body)")
        }
    }

    @Test("a name or password that is refused has its reason beside the field, and what was typed stays, but no password")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let page = try await ada.open(try await ada.invite())
            for (name, password, text) in [
                ("", "correct horse battery staple", "Enter your name"), ("Ada", "short", "too short"), ("Ada", "password1", "Many people"),
                ("Ada", "ada@example.com!", "contains your email address"),
                ("A\u{202E}", "correct horse battery staple", "Enter your name"),
                ("Ada", String(repeating: "x", count: 4000), "too long"), ("Ada", "", "too short"),
            ] {
                let refused = try await ada.send("/invitation", [("name", name), ("password", password)], from: page)
                #expect(refused.status == 400 && refused.body.contains(text), "\(name) \(text): \(refused.body)")
                #expect(refused.body.contains("role=\"alert\"") && (password.isEmpty || !refused.body.contains("value=\"\(password)\"")))
            }
        }
    }

    @Test("a person with an account signs in first, and then becomes a member with the same account")
    func existing() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(as: "operator")
            #expect(try await platform.count("membership", where: "role = 'operator'") == 1)
            ada.browser = TestBrowser(platform)
            let link = try await ada.invite(as: "viewer")
            let page = try await ada.open(link)
            #expect(page.body.contains("An account with this address exists.") && !page.body.contains("new-password"))
            #expect(try await ada.send("/invitation", [], from: page).location == "/account/sign-in")
            let back = try #require(try await ada.signIn().location)
            #expect(back == "/account" + link)
            let own = try await ada.open(link)
            #expect(own.body.contains("Accept invitation"))
            #expect(try await ada.send("/invitation", [], from: own).location == "/account?done=joined")
            #expect(try await ada.open("?done=joined").body.contains("<p role=\"status\">You have accepted the invitation."))
            #expect(try await platform.count("membership", where: "role = 'viewer'") == 1)
            #expect(try await platform.count("person") == 1)
        }
    }

    @Test("if the tenant has a provider for the address, the page offers it and the form for an account, and has the address once")
    func offersProvider() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                let ada = PersonClient(sso.platform, "ada@customer.test")
                let page = try await ada.open(try await ada.invite(as: "developer"))
                #expect(page.body.contains(#"action="/account/sso"#) && page.body.contains("new-password"), "\(page.body)")
                #expect(page.body.ranges(of: #"value="ada@customer.test" maxlength"#).count == 1 && !page.body.contains("<bdi>ada@"))
                // The focus is not on the second form, which has a sentence before it.
                #expect(!page.body.contains("autofocus") && page.body.contains("<p>Or create an account with a password"))
                // Another domain leads to no provider.
                let grace = PersonClient(sso.platform, "grace@example.com")
                #expect(try await !grace.open(try await grace.invite(as: "developer")).body.contains("/account/sso"))
                // The sign-in of an account leads to the provider, and then not back to the used link.
                let linus = PersonClient(sso.platform, "linus@customer.test")
                _ = try await sso.add(linus.email, as: nil, isProved: true)
                let link = try await linus.invite(as: "developer")
                let asked = try await linus.open(link)
                #expect(asked.body.contains("An account with this address exists.") && asked.body.contains(#"action="/account/sso"#))
                let form = [("token", String(link.suffix(47))), ("with", "account")]
                #expect(try await linus.send("/invitation", form, from: asked).location == "/account/sign-in")
                let entered = try await linus.send("/sign-in", [("email", linus.email)], from: try await linus.open("/sign-in"))
                let leads = try await linus.send("/sso", [("email", linus.email)], from: entered)
                provider.change(.init(claims: ["email": linus.email, "sub": "person-2"]))
                let (code, query) = try provider.authorize(String(try #require(leads.header("Refresh")).dropFirst("0; url=".count)))
                #expect(query["max_age"] == nil)
                #expect(try await linus.browser.get(SSOPlatform.callback(code, query["state"] ?? "")).location == "/account")
                #expect(try await sso.platform.count("membership", where: "email = 'linus@customer.test'") == 1)
            }
        }
    }

    @Test("if the tenant requires its provider, an invited person gets no password, and the page leads to the provider")
    func provider() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                try await sso.require(provider)
                let ada = PersonClient(sso.platform, "ada@customer.test")
                let link = try await ada.invite(as: "developer")
                let page = try await ada.open(link)
                #expect(page.body.contains(#"action="/account/sso"#) && !page.body.contains("new-password"), "\(page.body)")
                let form = [("token", String(link.suffix(47))), ("name", "Ada"), ("password", ada.password)]
                let refused = try await ada.send("/invitation", form, from: page)
                #expect(refused.status == 403 && refused.body.contains(#"action="/account/sso"#), "\(refused.body)")
                #expect(try await sso.platform.count("person") == 0)
                let leads = try await ada.send("/sso", [("email", ada.email)], from: page)
                #expect(leads.body.contains("Acme") && leads.body.contains("signs you in with its own service"), "\(leads.body)")
                let (code, query) = try provider.authorize(String(try #require(leads.header("Refresh")).dropFirst("0; url=".count)))
                let back = try await ada.browser.get(SSOPlatform.callback(code, query["state"] ?? ""))
                #expect(back.location == "/account", "\(back.status) \(back.body)")
                #expect(try await sso.platform.count("invitation", where: "accepted_at IS NOT NULL") == 1)
                // The invitation of another address is not concerned.
                var grace = PersonClient(sso.platform, "grace@example.com")
                #expect(try await grace.register(as: "viewer").status == 200)
            }
        }
    }
}
