import Access
@testable import Billing
import Foundation
@testable import Ledger
import Logging
import Postgres
import Server
import TestSupport
import Testing

/// `espalier usage verify` finds no difference between a restored month and its statement.
@Suite("Verify restored usage")
struct VerifyRestoredUsageTests {
    private static let january = Month(year: 2025, month: 1)

    @Test("late logins of an archived month leave its users unchanged, and after its restoration each user counts once")
    func lateLogins() async throws {
        try await TestPlatform.run { platform in
            let folder = try TemporaryFolder()
            let users = (0..<19).map { _ in UUID() }
            try await platform.plans([("2025-01-01T00:00:00Z", .enterprise)])
            try await platform.append((0..<190).map { Self.january.start.addingTimeInterval(Double($0) * 10_000) }, users: users)
            _ = try await UsagePartitions(
                database: PlatformDatabase(platform.pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            .pass(at: Self.january.start)
            try await platform.rollUp()
            #expect(try await platform.close(at: "2025-02-02T00:00:00Z") == 1)
            func userCounts() async throws -> (month: Int, days: Int) {
                let row = try await platform.ownerPool.run(
                    """
                    SELECT sum(users) FILTER (WHERE grain = 'month')::bigint AS month, sum(users) FILTER (WHERE grain = 'day')::bigint AS days
                    FROM usage_users WHERE application_id = \(UUID.platform) AND connection = ''
                    """)[0]
                return (try row.get("month"), try row.get("days"))
            }
            func differences() async throws -> [String] {
                var lines: [String] = []
                for period in try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool))
                where period.month <= Self.january.next {
                    lines += try await VerifyUsage.verify(period, in: PlatformDatabase(platform.ownerPool)).differences
                }
                return lines
            }
            let before = try await userCounts()
            #expect(before.month == 19)
            #expect(try await differences() == [])
            try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool)).run(
                before: Self.january.next, at: Date())

            // A counted user, on the user's own day and on another one, and a user who was not counted.
            try await platform.append(
                [Self.january.start, Self.january.end.addingTimeInterval(-1), Self.january.start], users: [users[0], users[0], UUID()])
            try await platform.rollUp()
            #expect(try await userCounts() == before)
            #expect(try await platform.count("usage_month_user") == 0)

            #expect(
                try await RestoreUsage(database: PlatformDatabase(platform.ownerPool)).run(folder.path + "/usage_event_2025_01.csv.gz")
                    .events == 190)
            #expect(try await userCounts().month == 20)
            #expect(try await differences() == [])
            // From now on, late logins are compared with the marks again.
            try await platform.append([Self.january.start.addingTimeInterval(1)], users: [users[1]])
            try await platform.rollUp()
            #expect(try await userCounts().month == 20)
            #expect(try await differences() == [])
        }
    }
}
