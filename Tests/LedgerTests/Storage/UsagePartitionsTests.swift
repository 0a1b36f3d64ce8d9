import Access
import Billing
import Foundation
@testable import Ledger
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Usage partitions")
struct UsagePartitionsTests {
    private static func partitions(_ platform: TestPlatform) -> UsagePartitions {
        UsagePartitions(database: PlatformDatabase(platform.pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("this month and the next three have partitions, even across years, and the next pass creates none")
    func ahead() async throws {
        try await TestPlatform.run { platform in
            let partitions = Self.partitions(platform)
            let november = Month(year: 2024, month: 11)
            let four = [november, Month(year: 2024, month: 12), january, january.next]
            let late = november.end.addingTimeInterval(-0.000001)
            #expect(try await partitions.pass(at: late) == four)
            #expect(try await partitions.pass(at: late) == [])
            // One microsecond later it is December.
            #expect(try await partitions.pass(at: november.end) == [january.next.next])
            let there = try await platform.partitions()
            #expect(four.allSatisfy(there.contains))
        }
    }

    @Test("two concurrent processes create each partition once")
    func racing() async throws {
        try await TestPlatform.run { platform in
            async let one = Self.partitions(platform).pass(at: january.start)
            async let other = Self.partitions(platform).pass(at: january.start)
            let made = try await one + other
            #expect(made.sorted() == [january, january.next, january.next.next, january.next.next.next])
        }
    }

    @Test("events without a partition move into the new one, and none that arrives in between is lost")
    func moving() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<500).map { january.start.addingTimeInterval(Double($0)) })
            #expect(try await platform.count("usage_event_default") == 500)
            async let appended: Void = {
                for batch in 0..<20 {
                    try await platform.append((0..<10).map { january.start.addingTimeInterval(Double(1000 + batch * 10 + $0)) })
                }
            }()
            #expect(try await Self.partitions(platform).pass(at: Date()) == [january])
            try await appended
            #expect(try await platform.count("usage_event_default") == 0)
            #expect(try await platform.count("usage_event_2025_01") == 700)
            #expect(try await platform.count("usage_event") == 700)
        }
    }

    @Test("a pass does not wait for a reader of the whole ledger, and the next pass creates the partition")
    func busy() async throws {
        try await TestPlatform.run { platform in
            try await platform.append([january.start])
            try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT count(*) FROM usage_event")
                #expect(try await Self.partitions(platform).pass(at: Date()) == [])
            }
            #expect(try await platform.count("usage_event_default") == 1)
            #expect(try await Self.partitions(platform).pass(at: Date()) == [january])
            #expect(try await platform.count("usage_event_default") == 0)
        }
    }

    @Test("a reader of a month finds all its events while the partition is created", .timeLimit(.minutes(5)))
    func readWhileMoving() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<500).map { january.start.addingTimeInterval(Double($0)) })
            let tenant = ID<Tenant>(platform.acme.id)!
            let pool = platform.pool
            let reading = try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT create_usage_partition(\(january))")
                let reading = Task { try await BilledEvents.read(of: tenant, in: january, from: PlatformDatabase(pool)) }
                try await eventually("the reader waits") {
                    try await !platform.pool.run(
                        """
                        SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
                        WHERE datname = current_database() AND NOT granted
                        """
                    ).isEmpty
                }
                return reading
            }
            let events = try await reading.value
            #expect(events.count == 500)
        }
    }

    @Test("a partition is created while a month is read for closing or for verification")
    func reading() async throws {
        try await TestPlatform.run { platform in
            try await platform.append([january.start], of: platform.acme)
            #expect(try await Self.partitions(platform).pass(at: Date()) == [january])
            let acme = ID<Tenant>(platform.acme.id)!
            let reader = try TestDatabase.pool(platform.database.serverURL)
            try await OwnerDatabase(reader, tenant: acme).transaction { db in
                _ = try await db.run(BilledEvents.settings)
                #expect(try await db.run(SQL(unsafe: BilledEvents.query(of: acme, in: january))).count == 1)
                // Even if it moves events that arrived without a partition.
                try await platform.append([january.previous.start], of: platform.acme)
                let made = try await Self.partitions(platform).pass(at: january.start)
                #expect(made == [january.previous, january.next, january.next.next, january.next.next.next])
            }
        }
    }

    @Test("logins do not wait for the creation of a partition that waits for a reader of the whole ledger")
    func waiting() async throws {
        try await TestPlatform.run { platform in
            // This timeout is long enough for the test. By default, it gives up after 0.5 s.
            _ = try await platform.ownerPool.run("ALTER FUNCTION create_usage_partition(date) SET lock_timeout = '60s'")
            let reader = try TestDatabase.pool(platform.database.serverURL)
            let made = try await reader.transaction(prelude: PlatformDatabase.prelude) { db in
                _ = try await db.run("SELECT count(*) FROM usage_event")
                let made = Task { try await Self.partitions(platform).pass(at: january.previous.start) }
                try await eventually("the partition waits") {
                    try await !platform.ownerPool.run(
                        "SELECT FROM pg_locks WHERE relation = 'usage_event_default'::regclass AND NOT granted"
                    ).isEmpty
                }
                #expect(try await TestBrowser(platform).tokens(.init(platform.acme))["access_token"] != nil)
                return made
            }
            #expect(try await made.value.first == january.previous)
        }
    }

    @Test("a ledger that was filled before it had partitions is the same afterwards, to the event")
    func migrated() async throws {
        let database = try await TestDatabase.empty()
        let folder = try ArchiveFolderOfTest()
        let files = try FileManager.default.contentsOfDirectory(atPath: TestDatabase.migrations).filter { $0.hasSuffix(".sql") }
        for file in files where file < "0013" {
            try FileManager.default.copyItem(atPath: TestDatabase.migrations + "/" + file, toPath: folder.path + "/" + file)
        }
        try await Migrator(folder: folder.path).migrate(url: database.ownerURL)
        let owner = try TestDatabase.pool(database.ownerURL)
        let purged = UUID()
        _ = try await owner.run([
            """
            INSERT INTO usage_event (tenant_id, id, kind, application_id, user_id, connection, occurred_at)
            SELECT lpad(to_hex(n % 3 + 1), 32, '0')::uuid, gen_random_uuid(), 'login', gen_random_uuid(), gen_random_uuid(),
                (ARRAY['own', 'shared'])[n % 2 + 1], timestamptz '2024-12-31 23:59:59.999999Z' + n * interval '1 hour 1 microsecond'
            FROM generate_series(0, 1999) AS n
            """,
            "INSERT INTO purged_usage VALUES (\(purged), '2025-02-28', 'login', 'own', 17), (\(purged), '2025-03-01', 'login', 'shared', 4)",
        ])
        let days: SQL = """
            SELECT concat_ws(' ', tenant_id, (occurred_at AT TIME ZONE 'UTC')::date, connection, count(*),
                md5(string_agg(concat(id, application_id, user_id, occurred_at), '' ORDER BY id))) AS line
            FROM usage_event GROUP BY tenant_id, (occurred_at AT TIME ZONE 'UTC')::date, connection ORDER BY 1
            """
        let before = try await owner.run(days).map { try $0.get("line", as: String.self) }
        try await Migrator(folder: TestDatabase.migrations).migrate(url: database.ownerURL)
        #expect(try await owner.run(days).map { try $0.get("line", as: String.self) } == before)
        let counts = try await owner.run(
            """
            SELECT (SELECT count(*) FROM usage_arrival JOIN usage_event USING (tenant_id, id, billing_period, occurred_at, user_id)) AS waiting,
                (SELECT count(*) FROM usage_event_default) AS astray,
                (SELECT count(*) FROM usage_event_2024_12) AS last, (SELECT count(*) FROM usage_event_2025_01) AS january,
                (SELECT sum(events)::bigint FROM usage_day WHERE tenant_id = \(purged)) AS purged
            """)[0]
        #expect(try counts.get("waiting", as: Int.self) == 2000)
        #expect(try counts.get("astray", as: Int.self) == 0)
        #expect(try counts.get("last", as: Int.self) == 1)
        #expect(try counts.get("january", as: Int.self) == 743)
        #expect(try counts.get("purged", as: Int.self) == 21)
        // The sums are the same too.
        #expect(try await RollUp(database: PlatformDatabase(try TestDatabase.pool(database.serverURL))).add(at: Date()) == 2000)
        let sums = try await owner.run(
            """
            SELECT (SELECT count(*) FROM (
                SELECT tenant_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, connection, count(*) AS events FROM usage_event GROUP BY 1, 2, 3
                EXCEPT SELECT tenant_id, day, connection, sum(events)::bigint FROM usage_day GROUP BY 1, 2, 3) AS missing) AS missing,
                (SELECT sum(events)::bigint FROM usage_day) AS events, (SELECT sum(users)::bigint FROM usage_users
                WHERE grain = 'month' AND application_id = '00000000-0000-0000-0000-000000000000' AND connection = '') AS users
            """)[0]
        #expect(try sums.get("missing", as: Int.self) == 0)
        #expect(try sums.get("events", as: Int.self) == 2021)
        // Each login belongs to another user.
        #expect(try sums.get("users", as: Int.self) == 2000)
    }
}
