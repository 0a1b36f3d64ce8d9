import Access
import Foundation
import Ledger
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A login is one row: it waits in `usage_arrival`, and is in `usage_event` when it is aggregated.
@Suite("Arrivals")
struct ArrivalTests {
    /// The number of events that wait, and of those in the ledger.
    private static func places(_ platform: TestPlatform) async throws -> [Int] {
        [try await platform.count("usage_arrival"), try await platform.count("usage_event")]
    }

    /// Inserts a login as a login's transaction does.
    private static func arrival(_ time: String, month: String, of tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO usage_arrival (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
        VALUES (\(time)::timestamptz, \(month)::date, \(tenant), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'login', 'own')
        """
    }

    @Test("a login is one row, which waits")
    func oneRow() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.login("Grace Hopper")
            #expect(try await Self.places(platform) == [1, 0])
            #expect(try await platform.usage("").json["logins"] as? Int == 1)
            try await platform.rollUp()
            #expect(try await Self.places(platform) == [0, 1])
            #expect(try await platform.usage("").json["logins"] as? Int == 1)
        }
    }

    @Test("a waiting login counts in every window, as it does later")
    func windows() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            _ = try await platform.ownerPool.run(Self.arrival("2026-03-01T10:20:30Z", month: "2026-03-01", of: acme))
            for isWaiting in [true, false] {
                if !isWaiting { try await platform.rollUp() }
                for (window, end) in [("minute", "2026-03-02"), ("hour", "2026-03-02"), ("day", "2026-03-02"), ("month", "2026-04-01")] {
                    let query = "window=\(window)&from=2026-03-01T00:00:00Z&to=\(end)T00:00:00Z"
                    let logins = (try await platform.usage(query).json["windows"] as? [[String: any Sendable]])?.compactMap {
                        $0["logins"] as? Int
                    }
                    #expect(logins?.reduce(0, +) == 1, "\(window), waiting: \(isWaiting)")
                }
                for (from, to, expected) in [("10:20:30", "11:00:00", 1), ("00:00:00", "10:20:30", 0), ("10:20:00", "10:21:00", 1)] {
                    let part = try await platform.usage("from=2026-03-01T\(from)Z&to=2026-03-01T\(to)Z")
                    #expect(part.json["logins"] as? Int == expected, "\(from), waiting: \(isWaiting)")
                }
            }
        }
    }

    @Test("a transaction that commits after a later one is counted once, by the next pass")
    func outOfOrder() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            try await platform.ownerPool.transaction { db in
                _ = try await db.run(Self.arrival("2026-03-01T10:00:00Z", month: "2026-03-01", of: acme))
                _ = try await PlatformDatabase(platform.pool).run(Self.arrival("2026-03-01T11:00:00Z", month: "2026-03-01", of: acme))
                try await platform.rollUp()
            }
            #expect(try await Self.places(platform) == [1, 1])
            try await platform.rollUp()
            #expect(try await Self.places(platform) == [0, 2])
            #expect(try await platform.count("usage_day", where: "events = 1") == 2)
        }
    }

    @Test("the event of a server of the previous version, which writes both rows, stays one event")
    func previousVersion() async throws {
        try await TestPlatform.run { platform in
            try await platform.append([try moment("2026-03-01T10:00:00Z"), try moment("2026-03-01T11:00:00Z")])
            #expect(try await Self.places(platform) == [2, 2])
            try await platform.rollUp()
            #expect(try await Self.places(platform) == [0, 2])
        }
    }

    @Test("the server's role can delete no login: a deleted arrival is in the ledger")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.login("Grace Hopper")
            _ = try await PlatformDatabase(platform.pool).run("DELETE FROM usage_arrival")
            #expect(try await Self.places(platform) == [0, 1])
            let truncated = await #expect(throws: DatabaseError.self) { try await platform.ownerPool.run("TRUNCATE usage_arrival") }
            #expect(truncated?.constraint == "truncate_refused")
            for (column, value) in [("kind", "'other'"), ("connection", "'other'"), ("billing_period", "'2026-03-02'")] {
                let refused = await #expect(throws: DatabaseError.self) {
                    try await platform.ownerPool.run(
                        SQL(
                            unsafe: """
                                INSERT INTO usage_arrival SELECT (jsonb_populate_record(e, jsonb_build_object('\(column)', \(value)))).*
                                FROM usage_event e
                                """))
                }
                #expect(refused?.sqlState == "23514", "\(column)")
            }
        }
    }

    @Test("a month closes with the logins that wait, and the database refuses to close it without them")
    func closing() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            let later = try moment("2026-04-05T00:00:00Z")
            _ = try await platform.ownerPool.run([
                Self.arrival("2026-02-10T10:00:00Z", month: "2026-02-01", of: acme),
                Self.arrival("2026-03-10T10:00:00Z", month: "2026-03-01", of: acme),
            ])
            // Without the waiting login of February, March must not be taken.
            let refused = await #expect(throws: DatabaseError.self) {
                try await platform.ownerPool.run([
                    "ALTER TABLE statement DISABLE TRIGGER USER", "ALTER TABLE statement ENABLE TRIGGER statement_complete_taken",
                    """
                    INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
                    VALUES (\(acme), '2026-03-01', gen_random_uuid(), 'acme', 'Acme', \(later), \(later))
                    """,
                ])
            }
            #expect(refused?.constraint == "statement_complete_checked")
            #expect(try await platform.close(at: later) > 0)
            #expect(
                try await platform.count("statement", where: "tenant_id = '\(acme.uuid)' AND events = 1 AND state = 'closed'") == 2)
            #expect(try await Self.places(platform) == [0, 2])

            _ = try await platform.ownerPool.run(Self.arrival("2026-03-11T10:00:00Z", month: "2026-03-01", of: acme))
            let open = await #expect(throws: DatabaseError.self) {
                try await platform.ownerPool.run([
                    "ALTER TABLE statement DISABLE TRIGGER USER", "ALTER TABLE statement ENABLE TRIGGER statement_complete_closed",
                    """
                    UPDATE statement SET state = 'closing', closed_at = NULL, events = NULL, digest = NULL
                    WHERE tenant_id = \(acme) AND period = '2026-03-01'
                    """,
                    """
                    UPDATE statement SET state = 'closed', closed_at = \(later), events = 1, digest = sha256('')
                    WHERE tenant_id = \(acme) AND period = '2026-03-01'
                    """,
                ])
            }
            #expect(open?.constraint == "statement_complete_checked")
        }
    }

    @Test("an export ends before a login that waits longer than usual")
    func export() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            try await platform.append([try moment("2026-03-01T10:00:00Z")])
            _ = try await platform.ownerPool.run(Self.arrival("2026-03-01T11:00:00.5Z", month: "2026-03-01", of: acme))
            let query = "format=csv&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"
            let early = try await platform.export(query)
            #expect(early.headers.first(name: "Export-To") == "2026-03-01T11:00:00Z")
            try await platform.rollUp()
            let whole = try await platform.export(query)
            #expect(whole.headers.first(name: "Export-To") == "2026-03-02T00:00:00Z")
        }
    }
}
