import Foundation
import TestSupport
import Testing

@Suite("Close transfer")
struct CloseTransferTests {
    @Test("it is closed once, audited, and its report and those who moved stay")
    func closed() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1", "Person 2"])
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", transfer).batch == "2 0 0 true")
            try await platform.transferApp(to: side)
            #expect(try await platform.work("exchange", transfer, limit: 1).batch == "1 0 0 false")
            let closed = try await platform.call("POST", "\(transfer)/close")
            #expect(closed.string("status") == "closed")
            #expect(closed.string("closed_at") != nil)
            #expect(closed.userCounts == [0, 1, 1, 0])
            let again = try await platform.call("POST", "\(transfer)/close")
            #expect((again.status, again.sorted) == (200, closed.sorted))
            #expect(try await platform.audited("closeTransfer").count == 1)
            #expect(Set(try await platform.call("GET", "\(transfer)/users").states.values) == ["collected", "moved exchange"])
            #expect(try await platform.signIn(["Person 1"]) == [users[0]])
        }
    }
}
