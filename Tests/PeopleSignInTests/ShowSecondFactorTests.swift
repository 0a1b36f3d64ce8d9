import Foundation
import TestSupport
import Testing

@Suite("Show second factor")
struct ShowSecondFactorTests {
    @Test("a page without a right password leads to the start")
    func start() async throws {
        try await TestPlatform.run { platform in
            let stranger = PersonClient(platform)
            #expect(try await stranger.open("/sign-in/code").location == "/account/sign-in")
            #expect(try await stranger.open("/sign-in/authenticator").location == "/account/sign-in")
            let page = try await stranger.open("/sign-in")
            #expect(try await stranger.send("/sign-in/code", [("code", "123456")], from: page).location == "/account/sign-in")
        }
    }
}
