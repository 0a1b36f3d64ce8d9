package import Access
import Foundation
package import Postgres
import Tenancy

/// Restores an archived month to the ledger from the file that `ArchiveUsage` has written.
///
/// The file must match its manifest and the month's statements. One transaction restores all events or none, and counts the month's users
/// again. The events of a tenant that was purged since then are not restored.
package struct RestoreUsage: Sendable {
    private let database: PlatformDatabase
    private let closed: @Sendable (Month) -> SQL
    private static let batch = 5000

    /// - Parameter database: a database with a long statement timeout, of the role that owns the schema.
    package init(database: PlatformDatabase, closed: @escaping @Sendable (Month) -> SQL) {
        (self.database, self.closed) = (database, closed)
    }

    /// Restores the month of a file.
    /// - Parameter path: the path of `usage_event_2025_01.csv.gz`. Its manifest must be in the same folder.
    /// - Returns: the month, and the number of restored events.
    /// - Throws: `ArchiveUsage.Refusal`, `DatabaseError`, and errors of the file system.
    package func run(_ path: String) async throws -> (month: Month, events: Int) {
        let file = URL(filePath: path)
        let name = file.lastPathComponent
        guard name.hasSuffix(".csv.gz") else { throw ArchiveUsage.Refusal.damaged(name) }
        let beside = file.deletingLastPathComponent().appending(path: name.dropLast(".csv.gz".count) + ".manifest.json")
        for part in [file, beside] where !FileManager.default.isReadableFile(atPath: part.path(percentEncoded: false)) {
            throw ArchiveUsage.Refusal.missing(part.lastPathComponent)
        }
        guard let manifest = try? JSONDecoder().decode(ArchiveManifest.self, from: Data(contentsOf: beside))
        else { throw ArchiveUsage.Refusal.damaged(beside.lastPathComponent) }
        let month = manifest.month
        let content = try? await ArchiveContent.read(file, of: month)
        guard let content, content.sha256 == manifest.sha256, content.rows == manifest.rows, content.tenants == manifest.tenants
        else { throw ArchiveUsage.Refusal.damaged(name) }
        try await ArchiveUsage(to: "", database: database, closed: closed).compare(content, with: month, isRestoring: true)

        let recorded = try await database.run("SELECT rows FROM usage_archive WHERE month = \(month)").first {
            try $0.get("rows", as: Int.self)
        }
        guard recorded == content.rows else { throw ArchiveUsage.Refusal.notArchived(month) }
        // A separate transaction, so that no other one waits for the rest.
        do { _ = try await UsagePartitions.create(month, in: database) } catch let error as DatabaseError where error.isLockTimeout {
            throw ArchiveUsage.Refusal.busy(month)
        }
        let events = try await database.transaction { db in
            // No tenant can be purged until its events are restored, because events restored after a purge would remain. Only tenants whose
            // purge is due within a day are locked, so that others do not wait.
            _ = try await db.run(
                Tenant.holdDuePurges(among: content.tenants.map(\.tenant_id)))
            var (events, waiting): (Int, [String]) = (0, [])
            _ = try await ArchiveContent.read(file, of: month) { lines in
                waiting += lines
                guard waiting.count >= Self.batch else { return }
                events += try await db.run(Self.insert(waiting)).affected
                waiting.removeAll(keepingCapacity: true)
            }
            events += try await db.run(Self.insert(waiting)).affected
            guard try await db.run("SELECT restored_usage_partition(\(month), \(events)) AS restored")[0].get("restored")
            else { throw ArchiveUsage.Refusal.notRestored(month) }
            try await RestoredUsers.count(of: month, in: db)
            return events
        }
        return (month, events)
    }

    private static func insert(_ lines: [String]) -> SQL {
        """
        INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
        SELECT f[1]::timestamptz, f[2]::date, f[3]::uuid, f[4]::uuid, f[5]::uuid, f[6]::uuid, f[7], f[8]
        FROM (SELECT string_to_array(line, ',') AS f FROM unnest(\(lines)) AS line) AS field
        WHERE EXISTS (SELECT FROM (\(part: Tenant.names)) AS tenant WHERE id = f[3]::uuid AND status <> 'purged')
        """
    }
}
