import Server
import TestSupport
import Testing

@Suite("Revoke terminal")
struct RevokeTerminalTests {
    @Test("a token ends its session; an unknown one and the cookie of a browser end nothing")
    func revokes() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let token = try await person.redeem(try await person.code(program), program).string("access_token") ?? ""
            func revoke(_ token: String) async throws -> Int {
                try await person.terminal.post(
                    "\(TerminalPerson.issuer)/oauth2/revoke", form: [("client_id", "espalierctl"), ("token", token)]
                ).status
            }
            for other in ["x", String(token.dropLast()) + "\u{301}", person.browser.cookies["__Host-espalier-account"] ?? ""] {
                #expect(try await revoke(other) == 200)
            }
            #expect(try await person.terminals() == 1)
            #expect(try await platform.count("person_session", where: "ended_at IS NULL") == 2)
            for _ in 0..<2 { #expect(try await revoke(token) == 200) }
            #expect(try await platform.count("person_session", where: "ended_reason = 'sign_out'") == 1)
            #expect(try await person.events("revokeTerminal") == 1)
        }
    }
}
