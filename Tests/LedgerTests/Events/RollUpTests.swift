import Access
import Billing
import Foundation
import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// New events are aggregated once, by any process and in pieces of any size.
@Suite("Roll up")
struct RollUpTests {
    /// All aggregated rows of a tenant, one text per row, without the IDs.
    private static func sums(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run(
            """
            SELECT concat_ws(' ', day, billing_period, connection, kind, sum(events)) AS line FROM usage_day
            GROUP BY day, billing_period, connection, kind
            UNION ALL
            SELECT concat_ws(' ', grain, starts_on, CASE WHEN application_id <> \(UUID.platform) THEN 'app' END, NULLIF(connection, ''), users)
            FROM usage_users
            """
        ).map { try $0.get("line") }.sorted()
    }

    /// Two users in two months, on several days, with several applications and connections.
    private static func append(_ platform: TestPlatform) async throws {
        let (one, two) = (UUID(), UUID())
        try await platform.append(
            [try moment("2026-02-28T23:59:59.999999Z"), try moment("2026-03-01T00:00:00Z"), try moment("2026-03-01T00:00:00Z")],
            users: [one])
        try await platform.append([try moment("2026-03-01T12:00:00Z")], application: 1, users: [one])
        try await platform.append([try moment("2026-03-31T23:59:59.999999Z")], application: 1, users: [one], connection: "shared")
        try await platform.append([try moment("2026-03-01T12:00:00Z")], users: [two])
    }

    private static let expected = [
        "2026-02-28 2026-02-01 own login 1", "2026-03-01 2026-03-01 own login 4", "2026-03-31 2026-03-01 shared login 1",
        "day 2026-02-28 1", "day 2026-02-28 app 1", "day 2026-02-28 app own 1", "day 2026-02-28 own 1",
        "day 2026-03-01 2", "day 2026-03-01 app 1", "day 2026-03-01 app 2", "day 2026-03-01 app own 1", "day 2026-03-01 app own 2",
        "day 2026-03-01 own 2",
        "day 2026-03-31 1", "day 2026-03-31 app 1", "day 2026-03-31 app shared 1", "day 2026-03-31 shared 1",
        "month 2026-02-01 1", "month 2026-02-01 app 1", "month 2026-02-01 app own 1", "month 2026-02-01 own 1",
        "month 2026-03-01 2", "month 2026-03-01 app 1", "month 2026-03-01 app 2", "month 2026-03-01 app own 1",
        "month 2026-03-01 app own 2",
        "month 2026-03-01 app shared 1", "month 2026-03-01 own 2", "month 2026-03-01 shared 1",
    ]

    @Test(
        "logins and distinct users by day, month, application and connection, in one piece or event by event", arguments: [1, 2, 1000])
    func sums(batch: Int) async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            let rollUp = RollUp(database: PlatformDatabase(platform.pool))
            #expect(try await rollUp.add(batch: batch, at: Date()) == 6)
            #expect(try await Self.sums(platform) == Self.expected.sorted())
            #expect(try await rollUp.add(batch: batch, at: Date()) == 0)
            #expect(try await platform.ownerPool.run("SELECT FROM usage_arrival").isEmpty)
            // The same people again: more logins, but no more users.
            let users = try await platform.ownerPool.run("SELECT user_id FROM usage_event ORDER BY occurred_at LIMIT 1").map {
                try $0.get("user_id", as: UUID.self)
            }
            try await platform.append([try moment("2026-03-01T20:00:00Z")], users: users)
            #expect(try await rollUp.add(batch: batch, at: Date()) == 1)
            let after = try await Self.sums(platform)
            #expect(after.contains("2026-03-01 2026-03-01 own login 5"))
            #expect(after.filter { !$0.hasPrefix("2026") } == Self.expected.sorted().filter { !$0.hasPrefix("2026") })
        }
    }

    @Test("a database that is too slow for a batch gets a smaller one")
    func slow() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run([
                """
                CREATE FUNCTION too_many() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF (SELECT count(*) FROM taken) > 300 THEN
                        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
                    END IF;
                    RETURN NULL;
                END
                $$
                """,
                """
                CREATE TRIGGER too_many AFTER DELETE ON usage_arrival REFERENCING OLD TABLE AS taken
                    FOR EACH STATEMENT EXECUTE FUNCTION too_many()
                """,
            ])
            try await platform.append((0..<1000).map { try! moment("2026-03-01T00:00:00Z").addingTimeInterval(Double($0)) })
            try await platform.rollUp()
            #expect(try await Self.sums(platform).contains("2026-03-01 2026-03-01 own login 1000"))
        }
    }

    @Test("several concurrent processes aggregate each event once")
    func together() async throws {
        try await TestPlatform.run { platform in
            let users = (0..<20).map { _ in UUID() }
            let start = try moment("2026-03-01T00:00:00Z")
            for _ in 0..<4 {
                try await platform.append((0..<200).map { start.addingTimeInterval(Double($0 % 40) * 3600) }, users: users)
            }
            let pools = try (0..<3).map { _ in try TestDatabase.pool(platform.database.serverURL) }
            let added = try await withThrowingTaskGroup(of: Int.self) { group in
                for (index, pool) in pools.enumerated() {
                    group.addTask { try await RollUp(database: PlatformDatabase(pool)).add(waits: index > 0, batch: 70, at: Date()) }
                }
                return try await group.reduce(0, +)
            }
            #expect(added == 800)
            let sums = try await Self.sums(platform)
            #expect(sums.contains("2026-03-01 2026-03-01 own login 480"))
            #expect(sums.contains("2026-03-02 2026-03-01 own login 320"))
            #expect(sums.contains("month 2026-03-01 20"))
        }
    }

    @Test("a login with a code is aggregated and counted as one user")
    func login() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<2 { _ = try await TestBrowser(platform).tokens(.init(platform.acme), person: "Grace Hopper") }
            let before = try await platform.call("GET", "/tenants/acme/usage")
            #expect(before.json["logins"] as? Int == 2)
            #expect(before.json["users"] as? Int == 0)
            try await platform.rollUp()
            let after = try await platform.call("GET", "/tenants/acme/usage")
            #expect(after.json["logins"] as? Int == 2)
            #expect(after.json["users"] as? Int == 1)
        }
    }
}
