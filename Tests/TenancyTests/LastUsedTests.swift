@testable import Access
import Foundation
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Last used")
struct LastUsedTests {
    private static let noon = Date(timeIntervalSince1970: 1_793_534_400)

    private static func lastUsed(_ table: String, _ id: UUID, _ platform: TestPlatform) async throws -> Date? {
        try await platform.ownerPool.run(SQL(unsafe: "SELECT last_used_at FROM \(table) WHERE id = '\(id.uuidString)'"))
            .first { try $0.get("last_used_at", as: Date?.self) } ?? nil
    }

    private static func make(_ platform: TestPlatform) -> LastUsed {
        LastUsed(
            database: PlatformDatabase(platform.pool), kinds: [(APIKey.self, APIKey.noteUses), (AppleKey.self, AppleKey.noteUses)],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("a use is written to the minute, for API keys and Apple keys, and never moves back")
    func minutes() async throws {
        try await TestPlatform.run { platform in
            let used = Self.make(platform)
            let (acme, key) = (try #require(ID<Tenant>(platform.acme.id)), try #require(ID<APIKey>(platform.acme.api_keys[1].id)))
            let appleKey = try #require(
                try await platform.ownerPool.run("SELECT id FROM apple_key WHERE tenant_id = \(acme)").first {
                    try $0.get("id", as: ID<AppleKey>.self)
                })
            used.note(key, owner: acme.uuid, at: Self.noon + 59)
            used.note(appleKey, owner: acme.uuid, at: Self.noon + 61)
            // A key without an owner.
            used.note(ID<APIKey>(at: Self.noon), owner: acme.uuid, at: Self.noon)
            #expect(try await Self.lastUsed("api_key", key.uuid, platform) == nil)
            await used.flush()
            #expect(try await Self.lastUsed("api_key", key.uuid, platform) == Self.noon)
            #expect(try await Self.lastUsed("apple_key", appleKey.uuid, platform) == Self.noon + 60)

            // Another process with a slow clock.
            let other = Self.make(platform)
            other.note(key, owner: acme.uuid, at: Self.noon - 60)
            await other.flush()
            #expect(try await Self.lastUsed("api_key", key.uuid, platform) == Self.noon)
            used.note(key, owner: acme.uuid, at: Self.noon + 120)
            await used.flush()
            #expect(try await Self.lastUsed("api_key", key.uuid, platform) == Self.noon + 120)
        }
    }

    @Test("a use that cannot be written stays recorded for the next flush")
    func outage() async throws {
        try await TestPlatform.run { platform in
            let used = Self.make(platform)
            let (acme, key) = (try #require(ID<Tenant>(platform.acme.id)), try #require(ID<APIKey>(platform.acme.api_keys[1].id)))
            used.note(key, owner: acme.uuid, at: Self.noon)
            _ = try await platform.ownerPool.run("REVOKE UPDATE ON api_key FROM espalier_server")
            await used.flush()
            #expect(try await Self.lastUsed("api_key", key.uuid, platform) == nil)
            _ = try await platform.ownerPool.run("GRANT UPDATE ON api_key TO espalier_server")
            await used.flush()
            #expect(try await Self.lastUsed("api_key", key.uuid, platform) == Self.noon)
        }
    }

    @Test("many processes that write the same keys do not block one another, and no cache is emptied")
    func together() async throws {
        try await TestPlatform.run { platform in
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let keys = try platform.acme.api_keys.map { try #require(ID<APIKey>($0.id)) }
            var changes = platform.pool.listen(["espalier_configuration"]).makeAsyncIterator()
            guard case .connected = try await changes.next() else { throw CancellationError() }
            await withTaskGroup(of: Void.self) { tasks in
                for process in 0..<8 {
                    tasks.addTask {
                        let used = Self.make(platform)
                        for round in 0..<5 {
                            for key in process.isMultiple(of: 2) ? keys : keys.reversed() {
                                used.note(key, owner: acme.uuid, at: Self.noon + Double(60 * (round * 8 + process)))
                            }
                            await used.flush()
                        }
                    }
                }
            }
            for key in keys { #expect(try await Self.lastUsed("api_key", key.uuid, platform) == Self.noon + 39 * 60) }
            _ = try await platform.ownerPool.run("SELECT pg_notify('espalier_configuration', 'the first notification')")
            guard case .notification(_, "the first notification") = try await changes.next() else {
                Issue.record("a use was notified as a change")
                return
            }
        }
    }

    @Test("an API key's last use becomes visible without a change of its ETag")
    func seen() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/api-keys/\(platform.acme.api_keys[1].id)"
            let before = try await platform.call("GET", path)
            #expect(before.status == 200 && before.json["last_used_at"] == nil)
            #expect(try await platform.letsIn(platform.acme.api_keys[1].secret))
            let after = try await eventually("its last use is visible") {
                let answer = try await platform.call("GET", path)
                return answer.json["last_used_at"] == nil ? nil : answer
            }
            #expect(after.string("last_used_at")?.hasSuffix(":00Z") == true)
            #expect(after.header("ETag") == before.header("ETag"))
        }
    }
}
