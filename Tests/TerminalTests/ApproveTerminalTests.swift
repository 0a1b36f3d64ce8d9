import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Approve terminal")
struct ApproveTerminalTests {
    @Test("the program gets a code, and a session of the same person, methods and sign-in")
    func approves() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform, signedInBefore: 300)
            let program = TerminalPerson.Program()
            let back = try await person.press("/account/oauth2/approval", of: try await person.review(program))
            #expect(back.status == 303 && back.location?.hasPrefix(TerminalPerson.redirectURI + "?code=") == true)
            #expect(back["state"] == program.state && back["iss"] == TerminalPerson.issuer)
            let token = try await person.redeem(back["code"] ?? "", program)
            #expect(token.status == 200 && token.string("token_type") == "Bearer" && token.json["expires_in"] as? Int == 7_776_000)
            #expect(token.string("access_token")?.hasPrefix("eps_") == true && token.header("Cache-Control") == "no-store")
            let condition = """
                kind = 'terminal' AND person_id = (SELECT person_id FROM person_session WHERE kind = 'browser') AND methods = '{pwd,otp}'
                    AND user_agent = 'espalierctl (laptop)' AND authenticated_at < now() - interval '4 minutes'
                """
            #expect(try await platform.count("person_session", where: condition) == 1)
        }
    }

    @Test("a mail tells the person of the approval")
    func notifies() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                let person = try await TerminalPerson(platform)
                _ = try await person.press("/account/oauth2/approval", of: try await person.review(.init()))
                let mail = try await eventually("the mail arrives") { mails.mails.first { $0.recipient == "ada@example.com" } }
                #expect(mail.part("plain")?.contains("A login from a terminal was allowed") == true)
                #expect(mail.part("plain")?.contains("Network address: 127.0.0.1") == true)
            }
        }
    }

    @Test("an old sign-in does not approve, and the page is shown again after a new one")
    func old() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform, signedInBefore: 500)
            let page = try await person.review(.init())
            _ = try await platform.ownerPool.run("UPDATE person_session SET authenticated_at = authenticated_at - interval '5 minutes'")
            let refused = try await person.press("/account/oauth2/approval", of: page)
            #expect(refused.location == "/account/sign-in?again=/account/oauth2/approval")
        }
    }
}
