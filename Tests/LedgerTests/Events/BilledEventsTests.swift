import Access
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Billed events")
struct BilledEventsTests {
    @Test("the digest covers the events in their order, as COPY writes them")
    func digest() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            let times = try (0..<2000).map { try moment("2026-01-15T12:00:00.\(String(1000 + $0 % 7).dropFirst())Z") }
            try await platform.append(times)
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            let expected = try await platform.ownerPool.run(
                """
                SELECT encode(sha256(convert_to(string_agg(concat_ws(E'\\t', occurred_at, id, application_id, user_id, kind, connection) || E'\\n',
                    '' ORDER BY occurred_at, id), 'UTF8')), 'hex') AS digest FROM usage_event
                """)[0].get("digest", as: String.self)
            let answer = try await platform.statement("2026-01")
            #expect(answer.json["digest"] as? String == expected)
            #expect(answer.json["events"] as? Int == 2000)
            // Without events, the digest of an empty input.
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(
                try await platform.statement("2026-02").json["digest"] as? String
                    == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        }
    }

    @Test("a month is read in the order of its key, without a sort and without other months")
    func plan() async throws {
        try await TestPlatform.run { platform in
            for month in 1...3 {
                _ = try await platform.ownerPool.run(
                    SQL(
                        unsafe: """
                            CREATE TABLE usage_event_2026_0\(month) PARTITION OF usage_event
                            FOR VALUES FROM ('2026-0\(month)-01') TO ('2026-0\(month + 1)-01')
                            """))
            }
            try await platform.append(try (1...3).flatMap { month in try (1...9).map { try moment("2026-0\(month)-0\($0)T00:00:00Z") } })
            let acme = ID<Tenant>(platform.acme.id)!
            let plan = try await platform.pool.run(
                SQL(unsafe: "EXPLAIN \(BilledEvents.query(of: acme, in: Month("2026-02")!))"),
                prelude: ["SELECT set_config('espalier.tenant', \(acme)::text, true)", BilledEvents.settings]
            ).map { try $0.get("QUERY PLAN", as: String.self) }
            #expect(!plan.contains { $0.contains("Sort") && !$0.contains("Sort Key") }, "\(plan)")
            #expect(plan.contains { $0.contains("usage_event_2026_02_pkey") }, "\(plan)")
            #expect(!plan.contains { $0.contains("usage_event_2026_01") }, "\(plan)")
        }
    }

    @Test("lines are counted by their day in pieces of any size, and an invalid line is refused")
    func lines() throws {
        let ids = String(repeating: "\(UUID())\t", count: 3)
        let lines = (0..<100).map { number in
            let (day, kind) = (number < 70 ? "28" : "01", number % 3 == 0 ? "silent_login" : "login")
            return "2026-02-\(day) 00:00:\(number).5+00\t\(ids)\(kind)\town\n"
        }
        for size in [1, 7, 100] {
            var counting = LinesByDay()
            for start in stride(from: 0, to: lines.count, by: size) {
                try counting.add(Array(lines[start..<min(start + size, lines.count)].joined().utf8))
            }
            let counted = try counting.finish()
            #expect(counted.logins == [Day("2026-02-28")!: 46, Day("2026-02-01")!: 20])
            #expect(counted.silent == [Day("2026-02-28")!: 24, Day("2026-02-01")!: 10])
        }
        var empty = LinesByDay()
        try empty.add([])
        #expect(try empty.finish() == ([:], [:]))
        for text in [
            "2026-02-28 00:00:00+00", "2026-02-28", "\n", "2026-02-30 00:00:00+00\t\(ids)login\town\n", "infinity\tx\ty\n",
            "2026-02-28 00:00:00+00\t\(ids)other\town\n", "2026-02-28 00:00:00+00\t\(ids)login\n", "2026-02-28 00:00:00+00\t\(ids)\n",
            "2026-02-28 00:00:00+00\n",
        ] {
            var counting = LinesByDay()
            #expect(throws: SQLMismatch.self) {
                try counting.add(Array(text.utf8))
                _ = try counting.finish()
            }
        }
    }
}
