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

@Suite("Restore usage")
struct RestoreUsageTests {
    private static let file = "usage_event_2025_01.csv.gz"

    private static func restore(_ platform: TestPlatform, _ folder: ArchiveFolderOfTest) async throws -> Int {
        try await RestoreUsage(database: PlatformDatabase(platform.ownerPool)).run(folder.path + "/" + file).events
    }

    /// Archives January.
    private static func run(_ body: @Sendable @escaping (TestPlatform, ArchiveFolderOfTest, [String]) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool)).run(before: january.next, at: Date())
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
            try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool)).run(before: january.next, at: Date())
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
                try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool)).run(
                    before: january.next, at: Date())
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
            #expect(try await platform.count("usage_event", where: "tenant_id = '\(globex.uuid)'") == 0)
            #expect(try await platform.count("usage_event") == 42)
        }
    }
}
