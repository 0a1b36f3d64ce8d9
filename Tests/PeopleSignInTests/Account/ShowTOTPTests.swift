import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show TOTP")
struct ShowTOTPTests {
    @Test("without an app, the page has a new key each time, as a picture and as text; with an app, it has none")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, hasApp: false)
            let (first, second) = (try await account.get("/account/totp"), try await account.get("/account/totp"))
            let key = /<bdi>([A-Z2-7 ]{39})<\/bdi>/
            #expect(first.status == 200 && first.body.contains("<svg"))
            #expect(try #require(first.body.firstMatch(of: key)).1 != #require(second.body.firstMatch(of: key)).1)
            let other = try await OwnAccount.make(platform, "Grace")
            #expect(try await other.get("/account/totp").body.firstMatch(of: key) == nil)
            #expect(try await platform.count("person_totp") == 1)
        }
    }
}
