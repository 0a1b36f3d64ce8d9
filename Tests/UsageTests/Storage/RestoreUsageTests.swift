import Access
@testable import Billing
import Foundation
@testable import Ledger
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Restore usage")
struct RestoreUsageTests {
    private static let file = "usage_event_2025_01.csv.gz"

    private static func restore(_ platform: TestPlatform, _ folder: ArchiveFolderOfTest) async throws -> Int {
        try await RestoreUsage(pool: platform.ownerPool).run(folder.path + "/" + file).events
    }

    /// Archives January.
    private static func run(_ body: @Sendable @escaping (TestPlatform, ArchiveFolderOfTest, [String]) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            try await ArchiveUsage(to: folder.path, pool: platform.ownerPool).run(before: january.next, at: Date())
            try await body(platform, folder, ledger)
        }
    }

    @Test("an archived month is restored unchanged, and can be archived again")
    func back() async throws {
        try await Self.run { platform, folder, ledger in
            #expect(try await Self.restore(platform, folder) == 82)
            #expect(try await platform.ledgerLines() == ledger)
            #expect(try await platform.count("usage_event_2025_01") == 82)
            #expect(try await platform.count("usage_archive") == 0)
            #expect(try await platform.count("usage_arrival") == 0)
            await #expect(throws: ArchiveUsage.Refusal.notArchived(january)) { try await Self.restore(platform, folder) }
            #expect(try await platform.ledgerLines() == ledger)
            try await ArchiveUsage(to: folder.path, pool: platform.ownerPool).run(before: january.next, at: Date())
            #expect(try await platform.ledgerLines() == [])
        }
    }

    @Test("a changed or cut-off file, or another manifest, is refused, and nothing is restored")
    func damaged() async throws {
        try await Self.run { platform, folder, _ in
            let (url, whole) = (folder.url(Self.file), try Data(contentsOf: folder.url(Self.file)))
            var flipped = whole
            flipped[whole.count / 2] ^= 1
            for bytes in [flipped, whole.dropLast(9), whole + Data([0]), Data()] {
                try bytes.write(to: url)
                await #expect(throws: ArchiveUsage.Refusal.damaged(Self.file)) { try await Self.restore(platform, folder) }
            }
            try whole.write(to: url)
            let manifest = folder.url("usage_event_2025_01.manifest.json")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            try text.replacing("\"rows\" : 82", with: "\"rows\" : 81").write(to: manifest, atomically: true, encoding: .utf8)
            await #expect(throws: ArchiveUsage.Refusal.damaged(Self.file)) { try await Self.restore(platform, folder) }
            #expect(try await platform.ledgerLines() == [])
            #expect(try await platform.count("usage_archive") == 1)
        }
    }

    @Test("a missing file and an invalid manifest are refused with the name")
    func missing() async throws {
        try await Self.run { platform, folder, _ in
            let manifest = folder.url("usage_event_2025_01.manifest.json")
            try Data("{}".utf8).write(to: manifest)
            await #expect(throws: ArchiveUsage.Refusal.damaged(manifest.lastPathComponent)) { try await Self.restore(platform, folder) }
            try FileManager.default.removeItem(at: manifest)
            await #expect(throws: ArchiveUsage.Refusal.missing(manifest.lastPathComponent)) { try await Self.restore(platform, folder) }
            try FileManager.default.removeItem(at: folder.url(Self.file))
            await #expect(throws: ArchiveUsage.Refusal.missing(Self.file)) { try await Self.restore(platform, folder) }
            #expect(try await platform.ledgerLines() == [])
        }
    }

    @Test("the events of a tenant that was purged since then are not restored")
    func purged() async throws {
        try await Self.run { platform, folder, ledger in
            let globex = ID<Tenant>(platform.globex.id)!
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'purged', connection_id = NULL WHERE id = \(globex)")
            #expect(try await Self.restore(platform, folder) == 42)
            let of = globex.uuid.uuidString.lowercased()
            #expect(try await platform.ledgerLines() == ledger.filter { !$0.contains(of) })
            // The month can be archived again without them, but not over the file that contains them.
            await #expect(throws: ArchiveUsage.Refusal.otherFile(Self.file)) {
                try await ArchiveUsage(to: folder.path, pool: platform.ownerPool).run(before: january.next, at: Date())
            }
        }
    }

    @Test("no event of a tenant that is purged during a restoration remains")
    func purgedMeanwhile() async throws {
        try await Self.run { platform, folder, _ in
            let globex = ID<Tenant>(platform.globex.id)!
            let other = try TestDatabase.pool(platform.database.ownerURL)
            _ = try await other.run(
                "UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() WHERE id = \(globex)")
            // Its partition already exists, because the events are being restored.
            #expect(try await UsagePartitions.create(january, in: PlatformDatabase(other)))
            let restoring = try await other.transaction { db in
                // Purges as `purge_tenant` does.
                _ = try await db.run([
                    "SELECT FROM tenant WHERE id = \(globex) FOR UPDATE",
                    """
                    UPDATE tenant SET status = 'purged', connection_id = NULL, purge_after = NULL, status_before_deletion = NULL
                    WHERE id = \(globex)
                    """,
                    "DELETE FROM usage_event WHERE tenant_id = \(globex)",
                ])
                let restoring = Task { try await Self.restore(platform, folder) }
                try await eventually("the restoration waits for the purge") { try await db.isWaitedFor }
                return restoring
            }
            #expect(try await restoring.value == 42)
            #expect(try await platform.count("usage_event WHERE tenant_id = '\(globex.uuid)'") == 0)
            #expect(try await platform.count("usage_event") == 42)
        }
    }

    @Test("late logins of an archived month leave its users unchanged, and after its restoration each user counts once")
    func lateLogins() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            let users = (0..<19).map { _ in UUID() }
            try await platform.plans([("2025-01-01T00:00:00Z", .enterprise)])
            try await platform.append((0..<190).map { january.start.addingTimeInterval(Double($0) * 10_000) }, users: users)
            _ = try await UsagePartitions(pool: platform.pool, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                .pass(at: january.start)
            try await platform.rollUp()
            #expect(try await platform.close(at: "2025-02-02T00:00:00Z") == 1)
            func told() async throws -> (month: Int, days: Int) {
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
                where period.month <= january.next {
                    lines += try await VerifyUsage.verify(period, in: platform.ownerPool).differences
                }
                return lines
            }
            let before = try await told()
            #expect(before.month == 19)
            #expect(try await differences() == [])
            try await ArchiveUsage(to: folder.path, pool: platform.ownerPool).run(before: january.next, at: Date())

            // A counted user, on the user's own day and on another one, and a user who was not counted.
            try await platform.append(
                [january.start, january.end.addingTimeInterval(-1), january.start], users: [users[0], users[0], UUID()])
            try await platform.rollUp()
            #expect(try await told() == before)
            #expect(try await platform.count("usage_month_user") == 0)

            #expect(try await Self.restore(platform, folder) == 190)
            #expect(try await told().month == 20)
            #expect(try await differences() == [])
            // From now on, late logins are compared with the marks again.
            try await platform.append([january.start.addingTimeInterval(1)], users: [users[1]])
            try await platform.rollUp()
            #expect(try await told().month == 20)
            #expect(try await differences() == [])
        }
    }
}
