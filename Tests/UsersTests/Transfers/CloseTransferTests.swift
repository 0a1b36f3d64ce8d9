import Access
import Foundation
import Logging
import Postgres
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Close transfer")
struct CloseTransferTests {
    @Test("a transfer closes once, is audited, and its report and the moved users stay")
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

    @Test("with many users a request deletes some identifiers; the transfer is closing and continues automatically, also concurrently")
    func closing() async throws {
        try await TestPlatform.run { platform in
            let transfer = try await platform.createTransfer(to: "Z9Y8X7W6V5")
            let inRequest = ForgetTransferIdentifiers.batchesInRequest * ForgetTransferIdentifiers.batch
            try await platform.collectMany(inRequest + 2 * ForgetTransferIdentifiers.batch + 1)
            let closing = try await platform.call("POST", "\(transfer)/close")
            #expect((closing.status, closing.string("status")) == (200, "closing"))
            #expect(closing.string("closed_at") != nil)
            #expect(try await platform.identifiers() == 2 * ForgetTransferIdentifiers.batch + 1)
            #expect(try await platform.call("GET", transfer).string("status") == "closing")
            // The transfer has ended nevertheless.
            for step in ["collect", "exchange", "retry"] {
                #expect(try await platform.call("POST", "\(transfer)/\(step)").isProblem(409, "conflict"), "\(step)")
            }
            try await withThrowingTaskGroup { tasks in
                for _ in 0..<3 { tasks.addTask { try await platform.forgetIdentifiers() } }
                tasks.addTask {
                    let again = try await platform.call("POST", "\(transfer)/close")
                    #expect(again.status == 200)
                }
                try await tasks.waitForAll()
            }
            // Each call may have seen the others' locks, and left the rest to the next pass.
            try await platform.forgetIdentifiers()
            #expect(try await platform.identifiers() == 0)
            let closed = try await platform.call("GET", transfer)
            #expect(closed.string("status") == "closed")
            #expect(closed.string("closed_at") == closing.string("closed_at"))
            #expect(closed.userCounts == closing.userCounts)
            #expect(try await platform.audited("closeTransfer").count == 1)
        }
    }

    @Test("after an interrupted pass, or with a locked user, it is closing; it is closed when all identifiers are deleted")
    func killed() async throws {
        try await TestPlatform.run { platform in
            let users = try await platform.signIn(["Person 1", "Person 2", "Person 3"])
            let side = try await ReceivingTeam.make(platform)
            let transfer = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", transfer).batch == "3 0 0 true")
            // The state after a process has ended at the first user.
            _ = try await platform.ownerPool.run([
                "UPDATE team_transfer SET closed_at = now()",
                "UPDATE team_transfer_user SET transfer_sub = NULL WHERE user_id = \(ID<User>(users[0]))",
            ])
            #expect(try await platform.call("GET", transfer).string("status") == "closing")
            try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT FROM team_transfer_user WHERE user_id = \(ID<User>(users[1])) FOR UPDATE")
                try await platform.forgetIdentifiers()
                #expect(try await platform.identifiers() == 1)
                #expect(try await platform.call("POST", "\(transfer)/close").string("status") == "closing")
            }
            #expect(try await platform.call("POST", "\(transfer)/close").string("status") == "closed")
            #expect(try await platform.identifiers() == 0)
        }
    }

    @Test("if it is closed during the call to Apple, no identifier is stored and no user moves")
    func meanwhile() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.signIn(["Person 1"])
            let side = try await ReceivingTeam.make(platform)
            let transfer = try await platform.createTransfer(to: side.team)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, updated_at)
                SELECT t.tenant_id, t.id, u.id, 'pending', now() FROM team_transfer t JOIN tenant_user u ON u.tenant_id = t.tenant_id
                """)
            try await platform.closing("collect", transfer)
            #expect(try await platform.identifiers() == 0)
            #expect(try await platform.audited("collectTransfer").isEmpty)

            let second = try await platform.createTransfer(to: side.team)
            #expect(try await platform.work("collect", second).batch == "1 0 0 true")
            try await platform.transferApp(to: side)
            try await platform.closing("exchange", second)
            #expect(try await platform.count("identity", where: "team_id = '\(side.team)'") == 0)
            #expect(try await platform.audited("exchangeTransfer").isEmpty)
        }
    }
}

extension TestPlatform {
    /// Users of Acme who are collected, without Apple.
    fileprivate func collectMany(_ count: Int) async throws {
        _ = try await ownerPool.run([
            """
            INSERT INTO tenant_user (tenant_id, id, created_at, updated_at)
            SELECT t.tenant_id, gen_random_uuid(), now(), now() FROM team_transfer t, generate_series(1, \(count))
            """,
            """
            INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
            SELECT t.tenant_id, t.from_team_id, u.id::text, u.id, t.services_id, now(), now()
            FROM team_transfer t JOIN tenant_user u ON u.tenant_id = t.tenant_id
            """,
            """
            INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, transfer_sub, updated_at)
            SELECT t.tenant_id, t.id, u.id, 'collected', 'transfer.' || u.id, now()
            FROM team_transfer t JOIN tenant_user u ON u.tenant_id = t.tenant_id
            """,
        ])
    }

    /// Runs the pass that every process runs every minute.
    fileprivate func forgetIdentifiers() async throws {
        try await ForgetTransferIdentifiers(
            database: PlatformDatabase(pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).pass(at: Date())
    }

    /// The number of remaining transfer identifiers.
    fileprivate func identifiers() async throws -> Int {
        try await count("team_transfer_user", where: "transfer_sub IS NOT NULL")
    }

    /// Processes a batch, and closes the transfer between Apple's response and the write.
    fileprivate func closing(_ step: String, _ transfer: String) async throws {
        let batch = try await ownerPool.transaction { db in
            // The batch locks these rows before it writes.
            _ = try await db.run("SELECT FROM team_transfer_user FOR UPDATE")
            let batch = Task { try await work(step, transfer) }
            try await waitForLock("it waits for its users")
            _ = try await db.run("UPDATE team_transfer SET closed_at = now(), updated_at = now() WHERE closed_at IS NULL")
            return batch
        }
        #expect(try await batch.value.isProblem(409, "conflict"))
        #expect(try await call("POST", "\(transfer)/close").string("status") == "closed")
    }
}
