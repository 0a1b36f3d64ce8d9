import Foundation
import TestSupport
import Testing

@Suite("List transfer users")
struct ListTransferUsersTests {
    @Test("the report lists all users of the old team in pages, newest first, and can be filtered by state")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn((1...5).map { "Person \($0)" })
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(Set(try await platform.call("GET", "\(transfer)/users").states.values) == ["pending"])
            #expect(try await platform.work("collect", transfer, limit: 2).batch == "2 0 0 false")

            var (seen, next): ([String], String?) = ([], "\(transfer)/users?limit=2")
            while let path = next {
                let page = try await platform.call("GET", path)
                seen += page.data.compactMap { $0["user_id"] as? String }
                next = page.cursor("after").map { "\(transfer)/users?limit=2&after=\($0)" }
            }
            #expect(seen == users.reversed())
            #expect(try await platform.call("GET", "\(transfer)/users?state=collected").states.count == 2)
            #expect(try await platform.call("GET", "\(transfer)/users?state=pending").states.count == 3)
            #expect(try await platform.call("GET", "\(transfer)/users?state=moved").states.isEmpty)
            #expect(try await platform.call("GET", "\(transfer)/users?state=lost").isProblem(400, "invalid"))
        }
    }
}
