import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Confirm authenticator")
struct ConfirmAuthenticatorTests {
    @Test("a person without a second factor adds one before the session starts")
    func enrollsFirst() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            _ = try await platform.ownerPool.run(["DELETE FROM person_totp", "DELETE FROM recovery_code"])
            ada.browser = TestBrowser(platform)
            #expect(try await ada.givePassword().location == "/account/sign-in/authenticator")
            #expect(ada.secret == nil)
            let codes = try await ada.enroll()
            #expect(codes.status == 200 && ada.secret != nil)
            #expect(try await platform.count("person_totp", where: "confirmed_at IS NOT NULL AND last_step IS NOT NULL") == 1)
            #expect(try await platform.count("recovery_code") == 10)
        }
    }

    @Test("a wrong code saves nothing, and the key stays the same")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            _ = try await ada.send(
                "/invitation", [("name", "Ada"), ("password", ada.password)], from: try await ada.open(try await ada.invite()))
            let page = try await ada.open("/sign-in/authenticator")
            for code in ["", "12345", "abcdef", "12345\u{0301}6", "1234567"] {
                let refused = try await ada.send("/sign-in/authenticator", [("code", code)], from: page)
                #expect(refused.status == 400 && refused.body.contains("The code is wrong"))
                let key = page.body.firstMatch(of: /<bdi>[A-Z2-7 ]{32,}<\/bdi>/).map { String($0.0) } ?? "no key"
                #expect(refused.body.contains(key))
            }
            #expect(try await platform.count("person") == 0)
        }
    }
}
