import Access
import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import TestSupport
import Testing

/// Sign-ins without Apple are counted apart from logins, and their users are not counted.
@Suite("Silent sign-ins in the ledger")
struct SilentLoginsTests {
    /// 2 logins and 5 silent sign-ins of February, with 1 silent sign-in on a day of its own. All have different users.
    private static func run(_ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            let (day, next) = (try moment("2026-02-10T10:00:00Z"), try moment("2026-02-11T10:00:00Z"))
            try await platform.append([day, day])
            try await platform.append([day, day, day, day, next], kind: "silent_login")
            // Waiting events give the same numbers as aggregated ones, except for the users.
            for isAggregated in [false, true] {
                if isAggregated { try await platform.rollUp() }
                let usage = try await platform.usage("from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z").json
                #expect((usage["logins"] as? Int, usage["silent_logins"] as? Int) == (2, 5))
                #expect(usage["users"] as? Int == (isAggregated ? 2 : 0))
                let days = usage["days"] as? [[String: any Sendable]] ?? []
                #expect(
                    days.map { "\($0["date"]!) \($0["logins"]!) \($0["silent_logins"]!)" } == ["2026-02-10 2 4", "2026-02-11 0 1"])
                // A partly covered day.
                let half = try await platform.usage("from=2026-02-10T09:00:00Z&to=2026-02-10T11:00:00Z").json
                #expect((half["logins"] as? Int, half["silent_logins"] as? Int) == (2, 4))
            }
            try await body(platform)
        }
    }

    private static let february = "from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z"

    @Test("windows of each length, groups and the filter tell them from logins")
    func windows() async throws {
        try await Self.run { platform in
            let month = "2026-02-01T00:00:00Z"
            #expect(try await platform.windows("window=month&\(Self.february)") == ["\(month) 2/2+5"])
            #expect(
                try await platform.windows("window=month&\(Self.february)&group_by=kind")
                    == ["\(month) login 2/2", "\(month) silent_login 0/0+5"])
            #expect(try await platform.windows("window=month&\(Self.february)&kind=login") == ["\(month) 2/2"])
            #expect(try await platform.windows("window=month&\(Self.february)&kind=silent_login") == ["\(month) 0/0+5"])
            #expect(
                try await platform.windows("window=day&\(Self.february)") == ["2026-02-10T00:00:00Z 2/2+4", "2026-02-11T00:00:00Z 0/0+1"])
            let hours = "window=hour&from=2026-02-10T00:00:00Z&to=2026-02-12T00:00:00Z"
            #expect(try await platform.windows(hours) == ["2026-02-10T10:00:00Z 2/2+4", "2026-02-11T10:00:00Z 0/0+1"])
            #expect(
                try await platform.windows("\(hours)&group_by=kind&kind=silent_login")
                    == ["2026-02-10T10:00:00Z silent_login 0/0+4", "2026-02-11T10:00:00Z silent_login 0/0+1"])
            let refused = try await platform.usage("window=month&\(Self.february)&kind=silent")
            #expect(refused.status == 400 && refused.body.contains("silent_login"))
        }
    }

    @Test("the list of all tenants has both numbers")
    func list() async throws {
        try await Self.run { platform in
            let answer = try await platform.call("GET", "/usage?\(Self.february)")
            let acme = try #require((answer.json["data"] as? [[String: any Sendable]])?.first { $0["slug"] as? String == "acme" })
            #expect((acme["logins"] as? Int, acme["silent_logins"] as? Int, acme["users"] as? Int) == (2, 5, 2))
        }
    }

    @Test("the aggregation of the previous version leaves them waiting, so that it counts no user of them")
    func previousVersion() async throws {
        try await TestPlatform.run { platform in
            let day = try moment("2026-02-10T10:00:00Z")
            try await platform.append([day])
            try await platform.append([day, day], kind: "silent_login")
            // It does not say that it knows them.
            _ = try await PlatformDatabase(platform.pool).run("DELETE FROM usage_arrival")
            #expect(try await platform.count("usage_arrival") == 2)
            #expect(try await platform.count("usage_arrival", where: "kind = 'silent_login'") == 2)
            try await platform.rollUp()
            #expect(try await platform.count("usage_arrival") == 0)
            #expect(try await platform.count("usage_month_user") == 0)
            #expect(try await platform.count("usage_event") == 3)
        }
    }

    @Test("the ledger refuses any other kind")
    func unknown() async throws {
        try await TestPlatform.run { platform in
            await #expect { try await platform.append([Date()], kind: "other") } throws: {
                ($0 as? DatabaseError)?.sqlState == "23514"
            }
            let events = try await platform.count("usage_event")
            #expect(events == 0)
        }
    }
}
