import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Rename passkey")
struct RenamePasskeyTests {
    @Test("the name changes, also with an old sign-in, and the passkey of another person is not found")
    func renames() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 3600)
            let other = try await OwnAccount.make(platform, "Grace")
            let (own, foreign) = (try await account.addPasskeyRow(), try await other.addPasskeyRow("Key"))
            let path = "/account/passkeys/\(own)"
            #expect(try await account.send("\(path)/name", [("name", "\u{202E}")], from: path).status == 400)
            #expect(try await account.send("\(path)/name", [("name", "Laptop")], from: path).status == 303)
            #expect(try await platform.count("passkey", where: "name = 'Laptop'") == 1)
            let page = try await account.get(path)
            let csrf = String(try #require(page.body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1)
            let answer = try await account.browser.post(
                "\(TestPlatform.publicURL)/account/passkeys/\(foreign)/name", form: [("csrf", csrf), ("name", "Mine")])
            #expect(answer.status == 303)
            #expect(try await platform.count("passkey", where: "name = 'Mine'") == 0)
        }
    }
}
