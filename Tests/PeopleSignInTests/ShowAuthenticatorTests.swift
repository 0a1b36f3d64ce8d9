import Foundation
import TestSupport
import Testing

@Suite("Show authenticator")
struct ShowAuthenticatorTests {
    @Test("the page has the key as a picture and as text, a field for its code, and no script; nothing is in the database")
    func page() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let invitation = try await ada.open(try await ada.invite())
            #expect(invitation.body.contains("autocomplete=\"name\" autocapitalize=\"words\""))
            _ = try await ada.send("/invitation", [("name", "Ada"), ("password", ada.password)], from: invitation)
            let page = try await ada.open("/sign-in/authenticator")
            #expect(page.status == 200 && page.body.contains("<svg xmlns") && page.body.contains("autocomplete=\"one-time-code\""))
            #expect(page.body.firstMatch(of: /<bdi>[A-Z2-7 ]{32,}<\/bdi>/) != nil && !page.body.contains("<script"))
            // The same key, for an app on this device.
            let text = try #require(page.body.firstMatch(of: /<bdi>([A-Z2-7 ]{32,})<\/bdi>/)).1.replacing(" ", with: "")
            let link = "<a href=\"otpauth://totp/Espalier:ada%40example.com?secret=\(text)&amp;issuer=Espalier\">"
            #expect(page.body.contains(link), "\(page.body)")
            #expect(page.body.contains("maxlength=\"7\" autocomplete=\"one-time-code\"") && page.body.contains("inputmode=\"numeric\""))
            #expect(try await platform.count("person_totp") == 0)
        }
    }
}
