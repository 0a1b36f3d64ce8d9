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

    @Test("if the tenant requires its provider, an invited person gets no password, and the page leads to the provider")
    func provider() async throws {
        try await FakeProvider.run { provider in
            try await SSOPlatform.run(with: provider) { sso in
                try await sso.require(provider)
                let ada = PersonClient(sso.platform, "ada@customer.test")
                let page = try await ada.open(try await ada.invite(as: "developer"))
                let refused = try await ada.send("/invitation", [("name", "Ada"), ("password", ada.password)], from: page)
                #expect(refused.status == 403 && refused.body.contains(#"action="/account/sso"#), "\(refused.body)")
                #expect(try await sso.platform.count("person") == 0)
                #expect(try await sso.signIn(ada.email, at: provider, in: ada.browser).status == 303)
                #expect(try await sso.platform.count("invitation", where: "accepted_at IS NOT NULL") == 1)
                // The invitation of another address is not concerned.
                var grace = PersonClient(sso.platform, "grace@example.com")
                #expect(try await grace.register(as: "viewer").status == 200)
            }
        }
    }
}
