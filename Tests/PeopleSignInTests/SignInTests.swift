import Foundation
import TestSupport
import Testing

@Suite("Sign in")
struct SignInTests {
    @Test("the page after the address is the same for each address, and a malformed address is refused beside its field")
    func address() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let stranger = PersonClient(platform)
            let first = try await stranger.open("/sign-in")
            let known = try await stranger.send("/sign-in", [("email", "ada@example.com")], from: first)
            let unknown = try await stranger.send("/sign-in", [("email", "bob@example.com")], from: first)
            #expect(known.status == 200 && known.body.contains("autocomplete=\"current-password\""))
            #expect(known.body == unknown.body.replacing("bob@example.com", with: "ada@example.com"))
            for joining in ["", "ada", "a@b\u{0600}", "<b>\u{0301}@x.test", "a\u{200D}@localhost"] {
                let refused = try await stranger.send("/sign-in", [("email", joining)], from: first)
                #expect(refused.status == 400 && refused.body.contains("aria-invalid=\"true\"") && !refused.body.contains("<b>"))
            }
        }
    }
}
