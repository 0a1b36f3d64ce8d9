import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Renew recovery codes")
struct RenewRecoveryCodesTests {
    @Test("the page shows ten new codes once, which replace the earlier ones, and neither the table nor the trail has them")
    func renews() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let question = try await account.get("/account/recovery-codes")
            #expect(question.status == 200 && question.body.contains("Your earlier codes end at once"))
            #expect(try await platform.count("recovery_code") == 0)
            #expect(try await account.get("/account").body.contains("href=\"/account/recovery-codes\""))
            let first = try await account.send("/account/recovery-codes", from: "/account/recovery-codes")
            let second = try await account.send("/account/recovery-codes", from: "/account/recovery-codes")
            func codes(_ page: TestBrowser.Answer) -> [String] {
                page.body.matches(of: /<code dir="ltr">([A-Z]{4}-[A-Z]{4}-[A-Z]{4})<\/code>/).map { String($0.1) }
            }
            #expect(codes(first).count == 10 && Set(codes(first)).isDisjoint(with: codes(second)))
            #expect(try await platform.count("recovery_code") == 10)
            #expect(try await account.get("/account").body.contains("Unused codes: 10"))
            #expect(try await account.actions() == ["renewRecoveryCodes", "renewRecoveryCodes"])
            let trail = try await platform.ownerPool.run("SELECT audit_event::text AS text FROM audit_event").map {
                try $0.get("text", as: String.self)
            }
            for code in codes(second) { #expect(!trail.contains { $0.contains(code) }) }
        }
    }
}
