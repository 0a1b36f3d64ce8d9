import Server
import TestSupport
import Testing

@Suite("Refuse terminal device")
struct RefuseTerminalDeviceTests {
    @Test("a refused terminal gets access_denied, and no later approval counts")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let codes = try await person.start()
            let page = try await person.show(codes.string("user_code") ?? "")
            #expect(try await person.press("/account/device/refusal", of: page).status == 200)
            #expect(try await person.press("/account/device/approval", of: page).status == 400)
            #expect(try await person.poll(codes.string("device_code") ?? "").isOAuthError(400, "access_denied"))
        }
    }
}
