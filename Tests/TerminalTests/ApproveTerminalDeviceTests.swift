import Postgres
import Server
import TestSupport
import Testing

@Suite("Approve terminal device")
struct ApproveTerminalDeviceTests {
    @Test("the same form twice gets the same page; another person's session, and an old sign-in, approve nothing")
    func approves() async throws {
        try await TestPlatform.run { platform in
            let (person, other) = (try await TerminalPerson(platform), try await TerminalPerson(platform, name: "Grace"))
            let codes = try await person.start()
            let page = try await person.show(codes.string("user_code") ?? "")
            let own = TerminalPerson.fields(of: "/account/device/approval", in: page)
            let foreign = try await other.browser.post("\(TerminalPerson.issuer)/device/approval", form: own)
            #expect(foreign.status == 400)
            for _ in 0..<2 { #expect(try await person.press("/account/device/approval", of: page).status == 200) }
            #expect(try await platform.count("person_device", where: "state = 'approved'") == 1)

            let next = try await person.show(try await person.start().string("user_code") ?? "")
            _ = try await platform.ownerPool.run("UPDATE person_session SET authenticated_at = now() - interval '11 minutes'")
            let old = try await person.press("/account/device/approval", of: next)
            #expect(old.location == "/account/sign-in?again=/account/device")
        }
    }
}
