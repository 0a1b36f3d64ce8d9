import Access
import Foundation
import Postgres
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Retry transfer")
struct RetryTransferTests {
    @Test("failed users are tried again, each from the step at which it failed")
    func retried() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1", "Person 2", "Person 3"])
            let subject = try await platform.ownerPool.run("SELECT apple_sub FROM identity WHERE user_id = \(ID<User>(users[0]))")
                .first { try $0.get("apple_sub", as: String.self) }
            try await platform.forget(users[0])
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", transfer).batch == "2 1 0 true")
            _ = try await platform.ownerPool.run(
                """
                UPDATE team_transfer_user SET state = 'failed', reason = 'refused_by_apple' WHERE user_id = \(ID<User>(users[1]))
                """)

            _ = try await platform.ownerPool.run("UPDATE identity SET apple_sub = \(subject) WHERE user_id = \(ID<User>(users[0]))")
            let retried = try await platform.call("POST", "\(transfer)/retry")
            #expect(retried.status == 200)
            #expect(retried.userCounts == [1, 2, 0, 0])
            #expect(try await platform.audited("retryTransfer").first?.after["users"] as? Int == 2)
            #expect(try await platform.work("collect", transfer).batch == "1 0 0 true")
            #expect(try await platform.call("GET", transfer).userCounts == [0, 3, 0, 0])
        }
    }
}
