import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Give second factor")
struct GiveSecondFactorTests {
    @Test("a recovery code replaces the app once")
    func recovery() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            let shown = try await ada.register()
            let codes = shown.body.matches(of: /<code dir="ltr">([A-Z-]{14})<\/code>/).map { String($0.1) }
            #expect(Set(codes).count == 10)
            #expect(try await ada.givePassword().location == "/account/sign-in/code")
            #expect(try await ada.giveCode(codes[0].lowercased().replacing("-", with: " ")).location == "/account")
            #expect(try await platform.count("recovery_code", where: "used_at IS NOT NULL") == 1)
            #expect(try await ada.givePassword().location == "/account/sign-in/code")
            #expect(try await ada.giveCode(codes[0]).status == 400)
            // No code is in the database.
            let text = codes[1].replacing("-", with: "")
            #expect(try await platform.count("recovery_code", where: "encode(digest, 'escape') LIKE '%\(text)%'") == 0)
        }
    }
}
