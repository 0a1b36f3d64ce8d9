import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// The counts of a transfer's users, compared with the rows.
@Suite("Transfer count")
struct TransferCountTests {
    @Test("the counts equal the rows from the first sign-up to the end: collected, refused, moved, deleted and retried")
    func counted() async throws {
        try await TestPlatform.run { platform in
            let side = try await ReceivingTeam.make(platform)
            let users = try await platform.signIn((1...6).map { "Person \($0)" })
            let transfer = try await platform.createTransfer(to: side.team)
            try await platform.expectCounts([6, 0, 0, 0], transfer)
            try await platform.forget(users[0])
            #expect(try await platform.work("collect", transfer).batch == "5 1 0 true")
            try await platform.expectCounts([0, 5, 0, 1], transfer)
            _ = try await platform.signIn(["Person 7"])
            try await platform.expectCounts([1, 5, 0, 1], transfer)
            #expect(try await platform.call("POST", "\(transfer)/retry").status == 200)
            try await platform.expectCounts([2, 5, 0, 0], transfer)
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(users[5])").status / 100 == 2)
            try await platform.expectCounts([2, 4, 0, 0], transfer)
            try await platform.transferApp(to: side)
            _ = try await platform.signIn(["Person 2"])
            try await platform.expectCounts([2, 3, 1, 0], transfer)
            #expect(try await platform.work("exchange", transfer).batch == "3 0 0 true")
            try await platform.expectCounts([2, 0, 4, 0], transfer)
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(users[1])").status / 100 == 2)
            #expect(try await platform.call("POST", "\(transfer)/close").string("status") == "closed")
            try await platform.expectCounts([2, 0, 3, 0], transfer)
        }
    }

    @Test("the counts stay equal under concurrent changes while several processes merge them")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            let transfer = try await platform.createTransfer(to: "Z9Y8X7W6V5")
            _ = try await platform.ownerPool.run([
                """
                INSERT INTO tenant_user (tenant_id, id, created_at, updated_at)
                SELECT t.tenant_id, gen_random_uuid(), now(), now() FROM team_transfer t, generate_series(1, 400)
                """,
                """
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT t.tenant_id, t.from_team_id, u.id::text, u.id, t.services_id, now(), now()
                FROM team_transfer t JOIN tenant_user u ON u.tenant_id = t.tenant_id
                """,
            ])
            let users = try await platform.ownerPool.run("SELECT id FROM tenant_user ORDER BY id").map {
                try $0.get("id", as: ID<User>.self)
            }
            try await withThrowingTaskGroup { tasks in
                for part in 0..<4 {
                    tasks.addTask {
                        for user in users[(part * 100)..<(part * 100 + 100)] {
                            _ = try await platform.ownerPool.run(
                                """
                                INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, transfer_sub, updated_at)
                                SELECT tenant_id, id, \(user), 'collected', 'subject', now() FROM team_transfer
                                """)
                            if part == 1 { _ = try await platform.ownerPool.run("DELETE FROM tenant_user WHERE id = \(user)") }
                            guard part > 1 else { continue }
                            _ = try await platform.ownerPool.run(
                                "UPDATE team_transfer_user SET state = 'moved', moved_by = 'login' WHERE user_id = \(user)")
                        }
                    }
                }
                for _ in 0..<2 {
                    tasks.addTask { for _ in 0..<20 { try await TransferCount.fold(in: PlatformDatabase(platform.pool)) } }
                }
                for _ in 0..<20 {
                    // A concurrent reader counts every change exactly once.
                    let shown = try await platform.call("GET", transfer).userCounts
                    #expect(shown.allSatisfy { (0...400).contains($0) }, "\(shown)")
                }
                try await tasks.waitForAll()
            }
            #expect(try await platform.count("team_transfer_count") > 1)
            try await platform.expectCounts([0, 100, 200, 0], transfer)
            // A hundred more changes are enough to be merged, with any number before.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
                SELECT tenant_id, id, 0, 0, 0 FROM team_transfer, generate_series(1, 100)
                """)
            try await TransferCount.fold(in: PlatformDatabase(platform.pool))
            #expect(try await platform.count("team_transfer_count") == 1)
            try await platform.expectCounts([0, 100, 200, 0], transfer)
        }
    }

    @Test("each of several transfers has its own counts, in the order of the list")
    func several() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.signIn(["Person 1", "Person 2"])
            let sides = [try await ReceivingTeam.make(platform), try await ReceivingTeam.make(platform)]
            let first = try await platform.createTransfer(to: sides[0].team)
            #expect(try await platform.work("collect", first, limit: 1).batch == "1 0 0 false")
            let second = try await platform.createTransfer(to: sides[1].team)
            try await platform.expectCounts([1, 1, 0, 0], first)
            try await platform.expectCounts([2, 0, 0, 0], second)
            let list = try await platform.call("GET", "/tenants/acme/transfers")
            let ids: [String] = [second, first].map { String($0.split(separator: "/").last ?? "") }
            #expect(list.data.map { $0["id"] as? String } == ids)
        }
    }

    @Test("no tenant learns the number of another tenant's users")
    func stranger() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.signIn(["Person 1"])
            let (acme, globex) = (try #require(ID<Tenant>(platform.acme.id)), try #require(ID<Tenant>(platform.globex.id)))
            func known(to tenant: ID<Tenant>) async throws -> Int? {
                try await OwnerDatabase(platform.pool, tenant: tenant).run(
                    "SELECT known_users(\(acme), \(platform.own.team)) AS n"
                ).first { try $0.get("n", as: Int.self) }
            }
            #expect(try await known(to: acme) == 1)
            #expect(try await known(to: globex) == 0)
            #expect(
                try await platform.pool.run("SELECT known_users(\(acme), \(platform.own.team)) AS n").first {
                    try $0.get("n", as: Int.self)
                } == 0)
        }
    }
}

extension TestPlatform {
    /// The transfer, its entry in the list and the count of its users have the expected numbers.
    fileprivate func expectCounts(_ expected: [Int], _ transfer: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let shown = try await call("GET", transfer)
        #expect(shown.userCounts == expected, sourceLocation: sourceLocation)
        let id = ID<TeamTransfer>(shown.resourceID)
        let recount = try await ownerPool.run(
            """
            SELECT count(*) FILTER (WHERE COALESCE(r.state, 'pending') = 'pending') AS pending,
                count(*) FILTER (WHERE r.state = 'collected') AS collected,
                count(*) FILTER (WHERE r.state = 'moved') AS moved, count(*) FILTER (WHERE r.state = 'failed') AS failed
            FROM team_transfer t JOIN identity i ON i.tenant_id = t.tenant_id AND i.team_id = t.from_team_id
            LEFT JOIN team_transfer_user r ON r.tenant_id = i.tenant_id AND r.transfer_id = t.id AND r.user_id = i.user_id
            WHERE t.id = \(id)
            """
        ).first { row in try ["pending", "collected", "moved", "failed"].map { try row.get($0, as: Int.self) } }
        #expect(shown.userCounts == recount, sourceLocation: sourceLocation)
        let listed = try await call("GET", "/tenants/acme/transfers").data.first { $0["id"] as? String == shown.resourceID }
        let users = listed?["users"] as? [String: Int]
        #expect(["pending", "collected", "moved", "failed"].map { users?[$0] } == expected, sourceLocation: sourceLocation)
    }
}
