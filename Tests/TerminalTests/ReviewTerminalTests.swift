import Server
import TestSupport
import Testing

@Suite("Review terminal")
struct ReviewTerminalTests {
    @Test("the page shows the machine, the tenants and the roles, and may send only here and to the loopback address")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let page = try await person.review(.init())
            #expect(page.status == 200)
            for text in ["espalierctl on laptop", "ada@example.com", "Acme", "Developer"] {
                #expect(page.body.contains(text), "\(text)")
            }
            #expect(!page.body.contains("<script"))
            let policy = page.header("Content-Security-Policy") ?? ""
            #expect(policy.contains("form-action 'self' http: https:") && policy.contains("frame-ancestors 'none'"))
        }
    }

    @Test("the page says when the login ends: after 90 days, and with a tenant's provider after 24 hours", arguments: [false, true])
    func end(onlyTenant: Bool) async throws {
        try await TestPlatform.run { platform in
            let page = try await TerminalPerson(platform, onlyTenant: onlyTenant).review(.init())
            #expect(page.body.contains("for up to 24 hours") == onlyTenant && page.body.contains("for up to 90 days") != onlyTenant)
        }
    }

    @Test(
        "the page names the program and the machine in its language, from right to left each on its own",
        arguments: [
            ("de", "espalierctl auf laptop"), ("ja", "laptop の espalierctl"),
            ("ar", "\u{2068}espalierctl\u{2069} على \u{2068}laptop\u{2069}"),
        ])
    func languages(language: String, program: String) async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            _ = try await person.authorize(TerminalPerson.Program().query)
            let page = try await person.browser.get(
                "\(TerminalPerson.issuer)/oauth2/approval", headers: [("Accept-Language", language)])
            #expect(page.header("Content-Language") == language && page.body.contains("<bdi>\(program)</bdi>"), "\(page.body)")
        }
    }

    @Test("without a session, or after an old sign-in, the person signs in first; without a request, there is nothing to decide")
    func signInFirst() async throws {
        try await TestPlatform.run { platform in
            let nobody = try await TestBrowser(platform).get("\(TerminalPerson.issuer)/oauth2/approval")
            #expect(nobody.status == 303 && nobody.location == "/account/sign-in?again=/account/oauth2/approval")
            let old = try await TerminalPerson(platform, signedInBefore: 601)
            #expect(try await old.review(.init()).location == "/account/sign-in?again=/account/oauth2/approval")
            let recent = try await TerminalPerson(platform, name: "Grace", signedInBefore: 90)
            #expect(try await recent.browser.get("\(TerminalPerson.issuer)/oauth2/approval").status == 400)
            #expect(try await recent.review(.init()).status == 200)
            _ = try await recent.authorize(TerminalPerson.Program().query + [("max_age", "0")])
            #expect(try await recent.browser.get("\(TerminalPerson.issuer)/oauth2/approval").status == 303)
        }
    }
}
