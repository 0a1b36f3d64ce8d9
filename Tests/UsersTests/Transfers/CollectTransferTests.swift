import Access
import Foundation
import Postgres
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Collect transfer")
struct CollectTransferTests {
    @Test("thirty users in batches: throttled and continued, one unknown to Apple, one who signs up in between")
    func batches() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn((1...30).map { "Person \($0)" })
            try await platform.forget(users[4])
            let transfer = try await platform.createTransfer(to: side.team)

            #expect(try await platform.work("collect", transfer, limit: 10).batch == "9 1 0 false")
            #expect(try await platform.call("GET", transfer).userCounts == [20, 9, 0, 1])
            // Apple throttles. The users without a response stay pending.
            try await platform.simulator.fault([
                "endpoint": "usermigrationinfo", "fault": "status", "status": 429, "retry_after": 7, "times": 100,
                "client_id": platform.own.servicesID,
            ])
            let throttled = try await platform.work("collect", transfer, limit: 10)
            #expect(throttled.batch == "0 0 10 false")
            #expect(throttled.json["retry_after"] as? Int == 7)
            #expect(try await platform.call("GET", transfer).userCounts == [20, 9, 0, 1])
            try await platform.simulator.send(.DELETE, "/simulator/faults?client_id=\(platform.own.servicesID)", [:])

            let late = try await platform.signIn(["Person 31"])[0]
            #expect(try await platform.work("collect", transfer, limit: 20).batch == "20 0 0 false")
            #expect(try await platform.work("collect", transfer).batch == "1 0 0 true")
            #expect(try await platform.work("collect", transfer).batch == "0 0 0 true")
            #expect(try await platform.call("GET", transfer).userCounts == [0, 30, 0, 1])

            let report = try await platform.call("GET", "\(transfer)/users?limit=100")
            #expect(report.states.count == 31)
            #expect(report.states[users[4]] == "failed refused_by_apple")
            #expect(report.states[late] == "collected")
            #expect(report.ids.isEmpty && report.data.first?["user_id"] as? String == late)
            #expect(try await platform.count("team_transfer_user", where: "transfer_sub IS NOT NULL") == 30)

            // The audit event contains numbers. Apple's identifiers appear nowhere.
            let audited = try await platform.audited("collectTransfer")
            #expect(audited.map { $0.after["collected"] as? Int } == [9, 20, 1])
            #expect(audited.map { $0.after["failed"] as? Int } == [1, 0, 0])
            for name in try await platform.appleNames() {
                #expect(!report.body.contains(name))
                #expect(!audited.contains { $0.text.contains(name) })
            }
        }
    }

    @Test("if Apple rejects the receiving team, all users are refused: none fails, and the response states the checks")
    func wrongTarget() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.signIn((1...6).map { "Person \($0)" })
            let transfer = try await platform.createTransfer(to: "Z9Y8X7W6V5")
            let answer = try await platform.work("collect", transfer)
            #expect(answer.isProblem(422, "apple_refused"))
            #expect(answer.reason.contains("Z9Y8X7W6V5"))
            #expect(try await platform.call("GET", transfer).userCounts == [6, 0, 0, 0])
            #expect(try await platform.audited("collectTransfer").isEmpty)
        }
    }

    @Test("a refused key, an unavailable Apple and a deleted connection each get an error, and nothing is lost")
    func trouble() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            _ = try await platform.signIn(["Person 1", "Person 2"])
            let transfer = try await platform.createTransfer(to: side.team)
            let client = platform.own.servicesID
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "error", "error": "invalid_client", "times": 1, "client_id": client,
            ])
            #expect(try await platform.work("collect", transfer).isProblem(422, "apple_refused"))
            try await platform.simulator.fault(["endpoint": "token", "fault": "drop", "times": 1, "client_id": client])
            #expect(try await platform.work("collect", transfer).isProblem(503, "unavailable"))
            try await platform.simulator.fault([
                "endpoint": "usermigrationinfo", "fault": "status", "status": 500, "times": 2, "client_id": client,
            ])
            #expect(try await platform.work("collect", transfer).isProblem(503, "unavailable"))
            // One of the two users gets a response.
            try await platform.simulator.fault(["endpoint": "usermigrationinfo", "fault": "drop", "times": 1, "client_id": client])
            #expect(try await platform.work("collect", transfer).batch == "1 0 1 false")
            #expect(try await platform.work("collect", transfer).batch == "1 0 0 true")

            _ = try await platform.ownerPool.run("UPDATE apple_key SET state = 'next' WHERE key_id = \(platform.own.keyID)")
            let keyless = try await platform.work("collect", transfer)
            #expect(keyless.isProblem(409, "conflict"))
            #expect(keyless.reason.contains(platform.own.team))
        }
    }

    @Test("the old team's key also works after Apple has transferred the app")
    func afterwards() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1"])
            let transfer = try await platform.createTransfer(to: side.team)
            try await platform.transferApp(to: side)
            #expect(try await platform.work("collect", transfer).batch == "1 0 0 true")
            #expect(try await platform.signIn(["Person 1"]) == users)
        }
    }

    @Test("a user that is being deleted is omitted")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn(["Person 1", "Person 2"])
            let transfer = try await platform.createTransfer(to: side.team)
            let collecting = try await platform.ownerPool.transaction { db in
                _ = try await db.run("DELETE FROM session WHERE user_id = \(ID<User>(users[0]))")
                _ = try await db.run("DELETE FROM tenant_user WHERE id = \(ID<User>(users[0]))")
                let collecting = Task { try await platform.work("collect", transfer) }
                try await platform.waitForLock("it waits for the deletion")
                return collecting
            }
            #expect(try await collecting.value.batch == "1 0 0 true")
            #expect(try await platform.call("GET", transfer).userCounts == [0, 1, 0, 0])
        }
    }
}
