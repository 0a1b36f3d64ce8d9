import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Notify expiring keys")
struct NotifyExpiringKeysTests {
    private static func setUp(_ platform: TestPlatform, keys: [(String, Date)]) async throws {
        for (name, expiry) in keys {
            #expect(try await platform.issue(name, expiresAt: expiry.formatted(.iso8601)).status == 201)
        }
        let (tenant, now) = (ID<Tenant>(platform.acme.id), Date())
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'https://hooks.acme.test', '{key.expiring}', 'enabled', \(now), \(now))
            """)
    }

    private static func reported(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run(
            """
            SELECT k.name, e.data ->> 'api_key_id' AS key, k.id FROM webhook_event e JOIN api_key k ON k.tenant_id = e.tenant_id
            AND k.expires_at = (e.data ->> 'expires_at')::timestamptz WHERE e.type = 'key.expiring' ORDER BY k.expires_at
            """
        ).map { row in
            #expect(try row.get("key", as: String.self) == row.get("id", as: ID<APIKey>.self).description)
            return try row.get("name")
        }
    }

    @Test("a tenant is notified of a key a week before its expiry, once for any number of processes")
    func once() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            let day = 86400.0
            try await Self.setUp(
                platform,
                keys: [
                    ("tomorrow", now + day), ("in six days", now + 6 * day), ("in eight days", now + 8 * day), ("rolled", now + 2 * day),
                    ("revoked", now + 3 * day), ("ended", now + 0.5 * day),
                ])
            _ = try await platform.ownerPool.run([
                "UPDATE api_key SET rolled_to = id WHERE name = 'rolled'", "UPDATE api_key SET revoked_at = now() WHERE name = 'revoked'",
                "UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE name = 'ended'",
            ])
            let total = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await NotifyExpiringKeys(database: PlatformDatabase(platform.pool)).pass(at: now) } }
                return try await tasks.reduce(0, +)
            }
            #expect(total == 2)
            #expect(try await Self.reported(platform) == ["tomorrow", "in six days"])
            #expect(try await platform.count("webhook_delivery", where: "state = 'pending'") == 2)
            #expect(try await platform.count("outbox") == 2)
            #expect(try await NotifyExpiringKeys(database: PlatformDatabase(platform.pool)).pass(at: now + day) == 1)
            #expect(try await Self.reported(platform) == ["tomorrow", "in six days", "in eight days"])
        }
    }

    @Test("a deleted tenant and the platform are not notified")
    func nobody() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            try await Self.setUp(platform, keys: [("tomorrow", now + 86400)])
            _ = try await platform.ownerPool.run([
                "UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() WHERE slug = 'acme'",
                "UPDATE api_key SET expires_at = now() + interval '1 day' WHERE name = 'Operator'",
            ])
            #expect(try await NotifyExpiringKeys(database: PlatformDatabase(platform.pool)).pass(at: now) == 0)
            _ = try await platform.ownerPool.run(
                "UPDATE tenant SET status = 'active', status_before_deletion = NULL, purge_after = NULL WHERE slug = 'acme'")
            #expect(try await NotifyExpiringKeys(database: PlatformDatabase(platform.pool)).pass(at: now) == 1)
        }
    }

    @Test("more keys than one batch holds are all reported")
    func many() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            try await Self.setUp(platform, keys: [])
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at, expires_at)
                SELECT \(ID<Tenant>(platform.acme.id)), gen_random_uuid(), 'Many', sha256(n::text::bytea), '0000', '{}', \(now),
                    \(now.addingTimeInterval(3600)) FROM generate_series(1, 250) AS n
                """)
            #expect(try await NotifyExpiringKeys(database: PlatformDatabase(platform.pool)).pass(at: now) == 250)
            #expect(try await platform.count("webhook_event") == 250)
        }
    }
}
