import Foundation
import TestSupport
import Testing

@Suite("Show passkey sign-in")
struct ShowPasskeySignInTests {
    @Test("the page names no passkey and no account, and each load has another challenge")
    func page() async throws {
        try await TestPlatform.run { platform in
            let stranger = PersonClient(platform)
            let pages = [try await stranger.open("/sign-in/passkey"), try await stranger.open("/sign-in/passkey")]
            #expect(pages[0].body.contains("&quot;allowCredentials&quot;:[]"))
            #expect(PersonClient.challenge(pages[0]) != nil && PersonClient.challenge(pages[0]) != PersonClient.challenge(pages[1]))
        }
    }
}
