import Foundation
import Server
import Testing
import TestSupport

@Suite("Get transfer")
struct GetTransferTests {
    @Test("a transfer is shown with its teams and its counts, as they change")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            _ = try await platform.signIn(["Ada Lovelace", "Alan Turing"])
            let path = try await platform.createTransfer(to: side.team)
            let open = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(open.status == 200 && open.string("status") == "open")
            #expect(open.string("from_team_id") == platform.own.team && open.string("to_team_id") == side.team)
            #expect(open.userCounts == [2, 0, 0, 0])
            #expect(try await platform.work("collect", path).status == 200)
            #expect(try await platform.call("GET", path).userCounts == [0, 2, 0, 0])
        }
    }

    @Test("another tenant's key, a missing scope and an unknown transfer are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = try await platform.createTransfer(to: "Z9Y8X7W6V5")
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            for id in ["transfer_00000000000000000000000000", "x"] {
                #expect(try await platform.call("GET", "/tenants/acme/transfers/\(id)").isProblem(404, "not_found"), "\(id)")
            }
        }
    }
}
