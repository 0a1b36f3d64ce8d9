import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Refuse identity")
struct RefuseIdentityTests {
    @Test("the application receives the refusal, and nothing changes")
    func refused() async throws {
        try await Linking.run { linking in
            let page = try await linking.confirmation(at: try await linking.requestAddress(state: nil))
            let back = try await linking.browser.press(page, "/refusal")
            #expect(back.status == 303 && back["error"] == "access_denied" && back["state"] == nil)
            #expect(linking.browser.cookies.isEmpty)
            #expect(try await linking.identities() == 1)
            #expect(try await linking.browser.press(page).isPage(400))
        }
    }
}
