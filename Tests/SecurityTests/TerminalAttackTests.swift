import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// Attacks on the login of people from a terminal.
@Suite("Attacks on terminals")
struct TerminalAttackTests {
    @Test("an attacker's code: the page shows the requester, no link fills the code in, and another site's form approves nothing")
    func deviceCodePhishing() async throws {
        try await TestPlatform.run { platform in
            let victim = try await TerminalPerson(platform)
            let codes = try await victim.start([("host_name", "attacker")])
            let (device, user) = (codes.string("device_code") ?? "", codes.string("user_code") ?? "")
            let link = try await victim.browser.get("\(TerminalPerson.issuer)/device?user_code=\(user)")
            #expect(!link.body.contains(user))
            let page = try await victim.show(user)
            #expect(page.body.contains("espalierctl on attacker") && page.body.contains("127.0.0.1"))

            let form = TerminalPerson.fields(of: "/account/device/approval", in: page)
            let url = "\(TerminalPerson.issuer)/device/approval"
            for headers in [[("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Origin", "null")]] {
                #expect(try await victim.browser.post(url, form: form, headers: headers).status == 400)
            }
            #expect(try await victim.browser.post(url, form: form.filter { $0.0 != "csrf" }).status == 400)
            // The attacker has a session and a ticket of the same terminal, but not the token of the victim's session.
            let attacker = try await TerminalPerson(platform, name: "Mallory")
            let foreign = TerminalPerson.fields(of: "/account/device/approval", in: try await attacker.show(user))
            #expect(try await victim.browser.post(url, form: foreign).status == 400)
            let mixed = foreign.filter { $0.0 == "ticket" } + form.filter { $0.0 == "csrf" }
            #expect(try await victim.browser.post(url, form: mixed).status == 400)
            // The victim's last sign-in is too old.
            _ = try await platform.ownerPool.run("UPDATE person_session SET authenticated_at = now() - interval '11 minutes'")
            #expect(try await victim.browser.post(url, form: form).status == 303)
            #expect(try await victim.poll(device).isOAuthError(400, "authorization_pending"))
            #expect(try await victim.terminals() == 0)
        }
    }

    @Test("guessed user codes are limited, also for a signed-in person")
    func guessedUserCodes() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let open = try await person.start().string("user_code") ?? ""
            let page = try await person.browser.get("\(TerminalPerson.issuer)/device")
            var statuses: [Int] = []
            for number in 0..<30 {
                let letters = Array("BCDFGHJK")
                let guess = "BBBB-" + String([letters[number % 8], letters[number / 8], "B", "B"])
                statuses.append(try await person.press("/account/device", of: page, [("user_code", guess)]).status)
            }
            #expect(statuses.prefix(10).allSatisfy { $0 == 400 })
            #expect(statuses.count { $0 == 429 } >= 18)
            let limited = try await person.press("/account/device", of: page, [("user_code", open)])
            #expect(limited.status == 429 && limited.header("Retry-After") != nil)
        }
    }

    @Test("a stolen code is of no use without its verifier, or at another port")
    func codeInterception() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let code = try await person.code(program)
            #expect(try await person.redeem(code, program, verifier: TerminalPerson.Program().verifier).isOAuthError(400, "invalid_grant"))
            #expect(try await person.redeem(code, program, verifier: "").isOAuthError(400, "invalid_grant"))
            let other = "http://127.0.0.1:5432/callback"
            #expect(try await person.redeem(code, program, redirectURI: other).isOAuthError(400, "invalid_grant"))
            #expect(try await person.redeem(String(code.dropLast()), program).isOAuthError(400, "invalid_grant"))
            #expect(try await person.terminals() == 0)
            // A failed guess does not use the code up.
            #expect(try await person.redeem(code, program).status == 200)
        }
    }

    @Test("a code that is used twice ends the session, also in parallel")
    func codeReplay() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let code = try await person.code(program)
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await person.redeem(code, program).status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0 == 200 } == 1 && answers.count { $0 == 400 } == 5)
            #expect(try await person.terminals() == 0)
            #expect(try await platform.count("person_session", where: "ended_reason = 'reused'") == 1)
        }
    }

    @Test("no request redirects to another address than a loopback one, before and after the decision")
    func openRedirector() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            for uri in [
                "https://evil.example/callback", "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1.evil.example:80/callback",
                "//evil.example", "http://localhost:80/callback", "http://127.0.0.1:80/callback#x", "javascript:alert(1)",
            ] {
                for error in [[], [("response_type", "token")]] {
                    let query = TerminalPerson.Program().query.filter { $0.0 != "redirect_uri" && $0.0 != error.first?.0 }
                    let answer = try await person.authorize(query + error + [("redirect_uri", uri)])
                    #expect(answer.status == 400 && answer.location == nil, "\(uri)")
                }
            }
            // A cookie or a form that this server did not seal leads nowhere.
            person.browser.cookies["__Host-espalier-account-terminal"] = "forged"
            #expect(try await person.browser.get("\(TerminalPerson.issuer)/oauth2/approval").status == 400)
            let page = try await person.review(.init())
            let forged = TerminalPerson.fields(of: "/account/oauth2/approval", in: page).filter { $0.0 == "csrf" } + [("request", "forged")]
            #expect(try await person.browser.post("\(TerminalPerson.issuer)/oauth2/approval", form: forged).status == 400)
        }
    }

    @Test("a flood of polls costs few statements, and made-up codes cost none")
    func pollFlood() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let code = try await person.start().string("device_code") ?? ""
            _ = try await platform.ownerPool.run([
                "CREATE TABLE poll ()",
                """
                CREATE FUNCTION polled() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                    'BEGIN INSERT INTO poll DEFAULT VALUES; RETURN NULL; END'
                """,
                "CREATE TRIGGER polled AFTER UPDATE ON person_device FOR EACH ROW EXECUTE FUNCTION polled()",
            ])
            let start = ContinuousClock.now
            for _ in 0..<60 { #expect(try await person.poll(code).status == 400) }
            for text in ["x", code + "A", "\(code.dropLast())\u{301}"] {
                #expect(try await person.poll(text).isOAuthError(400, "invalid_grant"))
            }
            // 10 at once, and one more per second.
            let seconds = Int(start.duration(to: .now).components.seconds)
            #expect(try await platform.count("poll") <= 11 + seconds)
        }
    }

    @Test("the token of an ended session calls nothing, and a browser's cookie is not a token")
    func tokenOfEndedSession() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let token = try await person.redeem(try await person.code(program), program).string("access_token") ?? ""
            let revoked = try await person.terminal.post(
                "\(TerminalPerson.issuer)/oauth2/revoke", form: [("client_id", "espalierctl"), ("token", token)])
            #expect(revoked.status == 200)
            for secret in [token, person.browser.cookies["__Host-espalier-account"] ?? ""] {
                let answer = try await eventually("the end takes effect") { () async throws -> TestBrowser.Answer? in
                    let answer = try await person.terminal.get(
                        "\(TestPlatform.publicURL)/v1/tenants/acme", headers: [("Authorization", "Bearer \(secret)")])
                    return answer.status == 401 ? answer : nil
                }
                #expect(answer.status == 401)
            }
        }
    }
}
