import TestSupport
import Testing

@testable import Factors

@Suite("Show new TOTP")
struct ShowNewTOTPTests {
    @Test("the page has a new key as a picture, as text and as a link, and changes nothing")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let pages = [try await account.get("/account/new-totp"), try await account.get("/account/new-totp")]
            let keys = try pages.map { try AuthenticatorKey.shown(on: $0).bytes }
            #expect(keys[0] != keys[1])
            for page in pages { #expect(page.status == 200 && page.body.contains("<svg") && page.body.contains("href=\"otpauth://totp/")) }
            #expect(try await account.actions() == [])
            // The earlier app is still the one that counts.
            #expect(try await account.signIn(in: TestBrowser(platform)).location == "/account")
        }
    }
}
