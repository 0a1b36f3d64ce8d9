import Foundation
import TestSupport
import Testing

@Suite("Show authenticator")
struct ShowAuthenticatorTests {
    @Test("the page has the key as a picture and as text, a field for its code, and no script; nothing is in the database")
    func page() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            _ = try await ada.send(
                "/invitation", [("name", "Ada"), ("password", ada.password)], from: try await ada.open(try await ada.invite()))
            let page = try await ada.open("/sign-in/authenticator")
            #expect(page.status == 200 && page.body.contains("<svg xmlns") && page.body.contains("autocomplete=\"one-time-code\""))
            #expect(page.body.firstMatch(of: /<bdi>[A-Z2-7 ]{32,}<\/bdi>/) != nil && !page.body.contains("<script"))
            #expect(try await platform.count("person_totp") == 0)
        }
    }
}
