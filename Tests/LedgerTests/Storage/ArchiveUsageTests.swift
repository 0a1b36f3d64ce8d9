import Access
import Billing
import Encoding
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Archive usage")
struct ArchiveUsageTests {
    private static let file = "usage_event_2025_01.csv.gz"
    private static let manifest = "usage_event_2025_01.manifest.json"

    private static func archive(
        _ platform: TestPlatform, _ folder: ArchiveFolderOfTest, before limit: Month = january.next, isDryRun: Bool = false,
        attempts: Int = 1
    ) async throws -> [String] {
        var reported: [String] = []
        try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool), attempts: attempts)
            .run(before: limit, isDryRun: isDryRun, at: Date()) { reported.append("\($0) \($1)") }
        return reported
    }

    /// Expects that no month was removed and that no archive file exists.
    private static func expectUntouched(_ platform: TestPlatform, _ folder: ArchiveFolderOfTest, _ ledger: [String]) async throws {
        #expect(try await platform.ledgerLines() == ledger)
        #expect(try await platform.partitions().contains(january))
        #expect(try await platform.count("usage_archive") == 0)
        #expect(try !folder.files.contains(Self.file))
    }

    @Test("the file equals the events byte by byte, each tenant's digest is its statement's, and numbers and responses stay")
    func whole() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            let (days, users) = (try await platform.count("usage_day"), try await platform.count("usage_users"))
            let path = "/tenants/acme/usage?from=2025-01-01T00:00:00Z&to=2025-02-01T00:00:00Z"
            let answer = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(answer.json["logins"] as? Int == 42)

            #expect(try await Self.archive(platform, folder) == ["2025-01 archived(82)"])
            #expect(try folder.files == [Self.file, Self.manifest])
            var lines: [String] = []
            let content = try await ArchiveContent.read(folder.url(Self.file), of: january) { lines += $0 }
            #expect(lines == ledger)
            let manifest = try JSONDecoder().decode(ArchiveManifest.self, from: Data(contentsOf: folder.url(Self.manifest)))
            #expect((manifest.month, manifest.file, manifest.rows) == (january, Self.file, 82))
            #expect(manifest.sha256 == content.sha256)
            for tenant in [platform.acme, platform.globex] {
                let id = ID<Tenant>(tenant.id)!
                let digest = try await platform.ownerPool.run("SELECT digest FROM statement WHERE tenant_id = \(id)")[0]
                    .get("digest", as: [UInt8].self).hexadecimal
                #expect(manifest.tenants.first { $0.tenant_id == id.uuid }?.digest == digest)
            }

            #expect(try await platform.ledgerLines() == [])
            #expect(try await !platform.partitions().contains(january))
            let record = try await platform.ownerPool.run("SELECT month, rows FROM usage_archive")
            #expect(try record.map { try $0.get("month", as: Month.self) } == [january])
            #expect(try record.map { try $0.get("rows", as: Int.self) } == [82])
            #expect(try await platform.count("usage_month_user") == 0)
            #expect(try await platform.count("usage_day") == days)
            #expect(try await platform.count("usage_users") == users)
            #expect(try await platform.count("statement") == 2)
            let later = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(later.json["logins"] as? Int == 42)
            #expect((later.json["days"] as? [Any])?.count == (answer.json["days"] as? [Any])?.count)
            // An export would have a valid digest without them.
            for window in ["2025-01-31T23:59:59Z&to=2025-02-02T00:00:00Z", "2024-12-31T00:00:00Z&to=2025-01-01T00:00:01Z"] {
                for path in ["/usage/export", "/usage/export/manifest"] {
                    let refused = try await platform.call("GET", "\(path)?format=csv&from=\(window)", key: platform.acme.api_keys[0].secret)
                    #expect(refused.status == 400)
                    #expect((refused.json["detail"] as? String)?.contains("2025-01") == true)
                }
            }
            for window in ["2024-12-01T00:00:00Z&to=2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z&to=2025-03-01T00:00:00Z"] {
                #expect(try await platform.call("GET", "/usage/export?format=csv&from=\(window)").status == 200)
            }
            // No month is left to archive.
            #expect(try await Self.archive(platform, folder) == [])
        }
    }

    @Test("`gzip`, `sha256sum` and `awk` find the statement's digest in the file")
    func proven() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            _ = try await Self.archive(platform, folder)
            let acme = ID<Tenant>(platform.acme.id)!
            let digest = try await platform.ownerPool.run("SELECT digest FROM statement WHERE tenant_id = \(acme)")[0]
                .get("digest", as: [UInt8].self).hexadecimal
            // The ID in the manifest's form is also in the file.
            let manifest = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.url(Self.manifest))) as? [String: Any]
            let named = (manifest?["tenants"] as? [[String: Any]])?.first { $0["digest"] as? String == digest }?["tenant_id"] as? String
            let shell = try await Program.run(
                [
                    "-c",
                    """
                    gzip -dc "$1" | awk -F, -v OFS='\\t' -v tenant="$2" '$3 == tenant { print $1, $4, $5, $6, $7, $8 }' | sha256sum
                    """, "sh", folder.path + "/" + Self.file, try #require(named),
                ], of: URL(filePath: "/bin/sh"))
            #expect(shell.output == digest + "  -\n")
        }
    }

    @Test("a month with an event without a closed statement stays, and so does one with another number than billed")
    func unbilled() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth(of: [platform.acme])
            let ledger = try await platform.ledgerLines()
            await #expect(throws: ArchiveUsage.Refusal.open(january)) { try await Self.archive(platform, folder) }
            try await Self.expectUntouched(platform, folder, ledger)
            // The database decides on its own, regardless of the program.
            #expect(try await Self.ask(platform, 82) == "open")

            try await platform.closeMonth(of: [platform.globex])
            let stray = try await Self.stray(platform)
            await #expect(throws: ArchiveUsage.Refusal.open(january)) { try await Self.archive(platform, folder) }
            #expect(try await Self.ask(platform, 83) == "open")
            try await Self.expectUntouched(platform, folder, stray)
        }
    }

    @Test("the database makes its own count, waits for events that are not aggregated, and removes no month before its end")
    func counted() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            for wrong in [81, 83, 0] { #expect(try await Self.ask(platform, wrong) == "counted") }
            _ = try await platform.ownerPool.run(
                """
                WITH waiting AS (
                    INSERT INTO usage_arrival SELECT * FROM usage_event ORDER BY tenant_id, occurred_at, id LIMIT 1 RETURNING *)
                UPDATE usage_day SET events = events - 1 FROM waiting WHERE usage_day.tenant_id = waiting.tenant_id AND day = '2025-01-01'
                """)
            await #expect(throws: ArchiveUsage.Refusal.waiting(january)) { try await Self.archive(platform, folder) }
            #expect(try await platform.ledgerLines() == ledger)
            _ = try await platform.ownerPool.run(
                """
                WITH added AS (DELETE FROM usage_arrival RETURNING *)
                UPDATE usage_day SET events = events + 1 FROM added WHERE usage_day.tenant_id = added.tenant_id AND day = '2025-01-01'
                """)
            // The current month and future ones are empty, but cannot be removed.
            #expect(try await Self.ask(platform, 0, Month(Date())) == "open")
            #expect(try await Self.ask(platform, 0, Month(Date()).next) == "open")
            #expect(try await Self.ask(platform, 0, Month(year: 2024, month: 6)) == "gone")
            // The file that was written during the wait is the same.
            #expect(try await Self.archive(platform, folder, before: Month(year: 2999, month: 1)).first == "2025-01 archived(82)")
            #expect(try await platform.partitions().first == Month(Date()))
            #expect(try await platform.count("usage_event_default") == 0)
        }
    }

    @Test("a ledger that differs from the bill stays, even with the right number")
    func differs() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let acme = ID<Tenant>(platform.acme.id)!
            _ = try await platform.ownerPool.run(
                "UPDATE usage_event SET user_id = \(UUID()) WHERE tenant_id = \(acme) AND occurred_at = \(january.start)")
            let ledger = try await platform.ledgerLines()
            await #expect(throws: ArchiveUsage.Refusal.differs(january, platform.acme.id)) { try await Self.archive(platform, folder) }
            try await Self.expectUntouched(platform, folder, ledger)
        }
    }

    @Test("a month stays if its sums differ from the ledger, because only they remain afterwards")
    func wrongSums() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            // One too many, and one too few.
            for difference in [1, -2] {
                _ = try await platform.ownerPool.run(
                    "UPDATE usage_day SET events = events + \(difference) WHERE day = '2025-01-01' AND connection = 'own'")
                await #expect(throws: ArchiveUsage.Refusal.sums(january)) { try await Self.archive(platform, folder) }
                try await Self.expectUntouched(platform, folder, ledger)
            }
        }
    }

    @Test("a dry run reports the due months and changes nothing, not even in the folder")
    func dryRun() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            #expect(
                try await Self.archive(platform, folder, before: january.next.next, isDryRun: true) == [
                    "2025-01 due(82)", "2025-02 due(0)",
                ])
            try await Self.expectUntouched(platform, folder, ledger)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            #expect(try await Self.archive(platform, folder, before: january, isDryRun: true) == [])
        }
    }

    @Test("of two concurrent runs one removes the month, and both files are complete")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let folders = try [ArchiveFolderOfTest(), ArchiveFolderOfTest()]
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            async let one = Self.archive(platform, folders[0], attempts: 30)
            async let other = Self.archive(platform, folders[1], attempts: 30)
            let reported = try await (one + other)
            #expect(reported.filter { $0 == "2025-01 archived(82)" }.count == 1)
            #expect(try await platform.count("usage_archive") == 1)
            let written = try folders.filter { try $0.files == [Self.file, Self.manifest] }
            #expect(!written.isEmpty)
            for folder in written {
                var lines: [String] = []
                _ = try await ArchiveContent.read(folder.url(Self.file), of: january) { lines += $0 }
                #expect(lines == ledger)
            }
        }
    }

    @Test("one process at a time writes to a folder")
    func locked() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            do {
                let held = try ArchiveFolder(folder.path)
                await #expect(throws: ArchiveUsage.Refusal.inUse) { try await Self.archive(platform, folder) }
                withExtendedLifetime(held) {}
            }
            #expect(try await Self.archive(platform, folder) == ["2025-01 archived(82)"])
        }
    }

    @Test("a file of a process that died before the removal is written again, and another file is not")
    func killed() async throws {
        try await TestPlatform.run { platform in
            let folder = try ArchiveFolderOfTest()
            try await platform.fillJanuary()
            try await platform.closeMonth()
            let ledger = try await platform.ledgerLines()
            // A file that was cut off while it was written.
            try Data("half a file".utf8).write(to: folder.url(Self.file + ".partial"))
            // A complete file, and then no lock, because another transaction reads the whole ledger.
            try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT count(*) FROM usage_event")
                await #expect(throws: ArchiveUsage.Refusal.busy(january)) { try await Self.archive(platform, folder) }
            }
            #expect(try await platform.ledgerLines() == ledger)
            let first = try Data(contentsOf: folder.url(Self.file))
            try Data("not ours".utf8).write(to: folder.url(Self.file))
            await #expect(throws: ArchiveUsage.Refusal.otherFile(Self.file)) { try await Self.archive(platform, folder) }
            #expect(try Data(contentsOf: folder.url(Self.file)) == Data("not ours".utf8))
            #expect(try await platform.ledgerLines() == ledger)
            try first.write(to: folder.url(Self.file))
            #expect(try await Self.archive(platform, folder) == ["2025-01 archived(82)"])
            #expect(try Data(contentsOf: folder.url(Self.file)) == first)
            #expect(try await platform.ledgerLines() == [])
        }
    }

    @Test("the server's role can neither remove events from the ledger nor record a month as archived")
    func role() async throws {
        try await TestPlatform.run { platform in
            try await platform.fillJanuary()
            try await platform.closeMonth()
            for statement in [
                "SELECT archive_usage_partition('2025-01-01', 82)", "SELECT restored_usage_partition('2025-01-01', 82)",
                "DROP TABLE usage_event_2025_01", "TRUNCATE usage_event", "TRUNCATE usage_event_2025_01",
                "ALTER TABLE usage_event DETACH PARTITION usage_event_2025_01", "DELETE FROM usage_event",
                "DELETE FROM usage_event_2025_01",
                "UPDATE usage_event SET kind = kind",
                "INSERT INTO usage_archive (month, rows, archived_at) VALUES ('2025-01-01', 0, now())",
                "DELETE FROM usage_archive", "CREATE TABLE usage_event_2019_01 PARTITION OF usage_event DEFAULT",
            ] {
                await #expect {
                    _ = try await platform.pool.run(SQL(unsafe: statement), prelude: PlatformDatabase.prelude)
                } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
            }
            #expect(try await platform.count("usage_event") == 82)
            #expect(try await platform.count("usage_event_2025_01") == 82)
            // With the file but without the owner's role, the same is refused.
            let folder = try ArchiveFolderOfTest()
            await #expect {
                try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.pool)).run(before: january.next, at: Date())
            } throws: {
                ($0 as? DatabaseError)?.sqlState == "42501"
            }
            #expect(try await platform.count("usage_event") == 82)
        }
    }

    // MARK: Helpers

    private static func ask(_ platform: TestPlatform, _ rows: Int, _ month: Month = january) async throws -> String {
        try await platform.ownerPool.run("SELECT archive_usage_partition(\(month), \(rows)) AS answer")[0].get("answer")
    }

    /// Adds an event of a closed month that is on no statement.
    private static func stray(_ platform: TestPlatform) async throws -> [String] {
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            SELECT occurred_at, billing_period, tenant_id, \(UUID()), application_id, user_id, kind, connection FROM usage_event LIMIT 1
            """)
        return try await platform.ledgerLines()
    }
}
