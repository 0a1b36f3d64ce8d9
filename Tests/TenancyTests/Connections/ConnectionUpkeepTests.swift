import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Connection upkeep")
struct ConnectionUpkeepTests {
    @Test("the doctor checks every due connection once, and notifies the owner of a new failure")
    func daily() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let upkeep = platform.installation.connectionUpkeep
            try await platform.subscribeAcme()
            try await upkeep.pass()
            #expect(try await platform.call("GET", connection).json["check"] == nil, "a new one is due after a day")

            _ = try await platform.ownerPool.run("UPDATE connection SET check_due_at = now()")
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<3 { tasks.addTask { try await upkeep.pass() } }
                try await tasks.waitForAll()
            }
            #expect(try await platform.call("GET", connection).checkOutcome == "passed")
            #expect(try await platform.call("GET", "/platform/connection").checkOutcome == "passed")
            #expect(try await platform.auditTrail(of: "checkConnection").map(\.actor) == ["system"])
            #expect(try await platform.auditTrail(of: "checkPlatformConnection").map(\.actor) == ["system"])
            #expect(try await platform.reportedFailures == [])

            try await platform.simulator.revokeKey(platform.own.keyID)
            for _ in 0..<2 {
                _ = try await platform.ownerPool.run("UPDATE connection SET check_due_at = now()")
                try await upkeep.pass()
            }
            let failing = try await platform.call("GET", connection)
            #expect(failing.checkOutcome == "failed")
            #expect(try await platform.call("GET", "/platform/connection").checkOutcome == "passed")
            #expect(try await platform.auditTrail(of: "checkConnection").map(\.actor) == ["system", "system"])
            #expect(try await platform.reportedFailures.count == 1)
            let hours = try await platform.ownerPool.run(
                "SELECT extract(epoch FROM min(check_due_at) - now())::integer / 3600 AS h FROM connection"
            )
            .first { try $0.get("h", as: Int.self) }
            #expect((22...24).contains(hours ?? 0))
        }
    }

    @Test("a connection of a suspended tenant is not checked, and one without a response from Apple is soon due again")
    func notActive() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let upkeep = platform.installation.connectionUpkeep
            _ = try await platform.ownerPool.run([
                "UPDATE tenant SET status = 'suspended' WHERE slug = 'acme'", "UPDATE connection SET check_due_at = now()",
            ])
            try await upkeep.pass()
            #expect(try await platform.call("GET", connection).json["check"] == nil)
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'active' WHERE slug = 'acme'")
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "status", "status": 503, "client_id": platform.own.servicesID, "times": 1,
            ])
            try await upkeep.pass()
            #expect(try await platform.call("GET", connection).checkOutcome == "unreachable")
            let minutes = try await platform.ownerPool.run(
                "SELECT extract(epoch FROM min(check_due_at) - now())::integer / 60 AS m FROM connection"
            ).first { try $0.get("m", as: Int.self) }
            #expect((50...60).contains(minutes ?? 0))
        }
    }

    @Test("one connection that cannot be checked does not stop the checks of the others")
    func oneFails() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            // The database refuses the result of the shared connection's check.
            _ = try await platform.ownerPool.run([
                SQL(
                    unsafe:
                        "ALTER TABLE connection ADD CONSTRAINT refused CHECK (team_id <> '\(platform.shared.team)' OR checked_at IS NULL)"),
                "UPDATE connection SET check_due_at = now()",
            ])
            try await platform.installation.connectionUpkeep.pass()
            #expect(try await platform.call("GET", connection).checkOutcome == "passed")
            #expect(try await platform.call("GET", "/platform/connection").json["check"] == nil)
        }
    }

    @Test("a previous key is retired after its overlap")
    func keys() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let upkeep = platform.installation.connectionUpkeep
            let made = try await platform.simulator.makeKey(of: platform.own.team)
            let added = try await platform.change(
                "POST", "\(connection)/apple-keys", of: connection, ["key_id": made.id, "private_key": made.pem])
            let promoted = try await platform.change("POST", "\(connection)/apple-keys/\(added.resourceID)/promote", of: connection)
            #expect(promoted.status == 200)
            let browser = TestBrowser(platform)
            try await eventually("the new key signs") {
                _ = try await browser.tokens(.init(platform.acme))
                await platform.installation.lastUsed.flush()
                let keys = try await platform.call("GET", connection).appleKeys
                return keys.contains { $0["key_id"] as? String == made.id && $0["last_used_at"] != nil }
            }
            let before = try await platform.call("GET", connection)
            #expect(before.version == promoted.version)
            #expect(before.keyStates == ["current \(made.id)", "previous \(platform.own.keyID)"])
            _ = try await platform.ownerPool.run("UPDATE apple_key SET usable_until = now() WHERE state = 'previous'")
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<3 { tasks.addTask { try await upkeep.pass() } }
                try await tasks.waitForAll()
            }
            let after = try await platform.call("GET", connection)
            #expect(after.keyStates == ["current \(made.id)", "retired \(platform.own.keyID)"])
            #expect(after.version != before.version)
            #expect(try await platform.auditTrail(of: "retireAppleKey").map(\.actor) == ["system"])
        }
    }
}
