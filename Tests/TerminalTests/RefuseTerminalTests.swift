import Server
import TestSupport
import Testing

@Suite("Refuse terminal")
struct RefuseTerminalTests {
    @Test("the program gets access_denied, and no session starts")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let back = try await person.press("/account/oauth2/refusal", of: try await person.review(program))
            #expect(back["error"] == "access_denied" && back["state"] == program.state && back["iss"] == TerminalPerson.issuer)
            #expect(try await person.terminals() == 0)
        }
    }
}
