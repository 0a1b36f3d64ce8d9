import Foundation
import Postgres
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

    @Test("the page names the ways for a person who has lost the app or the passkeys")
    func lost() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            ada.browser = TestBrowser(platform)
            #expect(try await ada.givePassword().location == "/account/sign-in/code")
            let page = try await ada.open("/sign-in/code")
            #expect(page.body.contains("enter a recovery code. If you have no recovery code, ask the operator of this installation"))
            // A recovery code has letters.
            #expect(page.body.contains("maxlength=\"64\"") && !page.body.contains("inputmode"))
            try await ada.addPasskey(SoftwareAuthenticator())
            _ = try await platform.ownerPool.run(["DELETE FROM recovery_code", "DELETE FROM person_totp"])
            #expect(try await ada.open("/sign-in/code").body.contains("If you have lost your passkeys, ask the operator"))
        }
    }
}
