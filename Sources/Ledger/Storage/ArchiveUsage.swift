package import Access
import Encoding
package import Foundation
package import Postgres
import Tenancy

/// Moves old months from the ledger to files. The files can still prove the statements.
///
/// It writes the file first, syncs it to the disk, reads it again, and compares it with the month's statements, digest by digest. Only then
/// the database removes the month, after its own count (`archive_usage_partition`). If the process dies before that, the month is still in
/// the ledger. If it dies after that, the whole file exists.
package struct ArchiveUsage: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// This number of events is in the file, and no longer in the ledger.
        case archived(Int)
        /// This number of events would be archived.
        case due(Int)
        /// Another process has archived the month.
        case alreadyArchived
    }

    private let database: PlatformDatabase
    private let folder: String
    private let closed: @Sendable (Month) -> SQL
    /// How often it tries to get the ledger's lock for the removal of a month, at intervals of 1 s. A long export may be reading.
    private let attempts: Int

    /// - Parameters:
    ///   - database: a database with a long statement timeout, of the role that owns the schema. Only that role can remove events.
    ///   - closed: Selects the tenants that have closed a month, with the number and the digest of the billed events.
    package init(
        to folder: String, database: PlatformDatabase, attempts: Int = 30, closed: @escaping @Sendable (Month) -> SQL
    ) {
        (self.folder, self.database, self.attempts, self.closed) = (folder, database, attempts, closed)
    }

    /// The first month that stays in the ledger if this number of whole months stays in addition to the current one.
    package static func limit(retaining months: Int, at now: Date) -> Month {
        (0..<months).reduce(Month(now)) { month, _ in month.previous }
    }

    /// Archives all months before the limit. It starts with the oldest month and stops at the first failure.
    ///
    /// - Parameters:
    /// - limit: the current month at most.
    /// - isDryRun: whether it only reports the due months.
    /// - report: receives each completed month.
    /// - Throws: `Refusal`, `DatabaseError`, and errors of the file system.
    package func run(
        before limit: Month, isDryRun: Bool = false, at now: Date, _ report: (Month, Outcome) -> Void = { _, _ in }
    ) async throws {
        let limit = min(limit, Month(now))
        // A month that is recorded as archived but has a partition is being restored.
        let months = try await database.run(
            """
            SELECT month FROM usage_partitions() AS month
            WHERE month < \(limit) AND month NOT IN (SELECT month FROM usage_archive) ORDER BY month
            """
        ).map { try $0.get("month", as: Month.self) }
        guard !months.isEmpty else {
            if !isDryRun { try await forgetMarks() }
            return
        }
        // A dry run needs no folder.
        let folder = isDryRun ? nil : try ArchiveFolder(folder)
        for month in months {
            let rows = try await count(month)
            guard let folder else {
                report(month, .due(rows))
                continue
            }
            let content: ArchiveContent
            do {
                content = try await export(month, to: folder)
            } catch let refusal as Refusal {
                // Another process has archived the month before this one read it, so there is nothing to compare.
                guard try await isArchived(month) else { throw refusal }
                report(month, .alreadyArchived)
                continue
            }
            report(month, try await handOver(month, content.rows))
        }
        if folder != nil { try await forgetMarks() }
    }

    /// Checks the month before hours are spent on an unusable file.
    /// - Throws: `Refusal.open`, or `Refusal.sums`, because after the archiving only the aggregated numbers remain in the database.
    private func count(_ month: Month) async throws -> Int {
        let counted = try await database.run(
            """
            SELECT COALESCE(sum(events), 0)::bigint AS events, COALESCE(bool_or(billed IS DISTINCT FROM events), false) AS is_open,
                COALESCE(bool_or(added_up + waiting <> events), false) AS differs
            FROM (
                SELECT tenant_id, count(*) AS events, (
                    SELECT closed.events FROM (\(part: closed(month))) AS closed WHERE closed.tenant_id = event.tenant_id) AS billed, (
                    SELECT COALESCE(sum(usage_day.events), 0) FROM usage_day
                    WHERE usage_day.tenant_id = event.tenant_id AND billing_period = \(month)) AS added_up, (
                    SELECT count(*) FROM usage_arrival AS a
                    WHERE a.tenant_id = event.tenant_id AND a.billing_period = \(month) AND EXISTS (
                        SELECT FROM usage_event AS e WHERE e.tenant_id = a.tenant_id AND e.billing_period = a.billing_period
                            AND e.occurred_at = a.occurred_at AND e.id = a.id)) AS waiting
                FROM usage_event AS event WHERE billing_period = \(month) GROUP BY tenant_id) AS counted
            """)[0]
        guard try !counted.get("is_open", as: Bool.self) else { throw Refusal.open(month) }
        guard try !counted.get("differs", as: Bool.self) else { throw Refusal.sums(month) }
        return try counted.get("events")
    }

    // MARK: The file

    private func export(_ month: Month, to folder: ArchiveFolder) async throws -> ArchiveContent {
        let (file, manifest) = (folder.file(month), folder.manifest(month))
        // Removes incomplete files after a failure. A complete file has its final name by then.
        defer { for url in [file, manifest] { try? FileManager.default.removeItem(at: folder.partial(url)) } }
        // The text contains the month, so no other partition is read or locked. The order is the order of the primary key, so no sort is
        // needed.
        let rows = database.copyOut(
            SQL(
                unsafe: """
                    COPY (SELECT \(ArchiveContent.columns.joined(separator: ", ")) FROM usage_event
                        WHERE billing_period = date '\(month.firstDay)' ORDER BY tenant_id, billing_period, occurred_at, id)
                    TO STDOUT (FORMAT csv, HEADER)
                    """),
            settings: [
                "SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true)", UsagePartitions.hold(month),
            ],
            atLeast: 1 << 16)
        try await folder.write(rows, for: file)
        let content: ArchiveContent
        do {
            content = try await ArchiveContent.read(folder.partial(file), of: month)
        } catch is ArchiveContent.Damaged {
            throw Refusal.damaged(file.lastPathComponent)
        }
        try await compare(content, with: month)
        try await Self.checkReplacing(file, with: content, of: month)
        try folder.write(try ArchiveManifest(content, of: month).json, for: manifest)
        try folder.finish(file)
        try folder.finish(manifest)
        return content
    }

    /// Checks an existing file with this name. It may be from a process that died before it removed the month, or it may be a file that
    /// must not be lost.
    private static func checkReplacing(_ file: URL, with content: ArchiveContent, of month: Month) async throws {
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return }
        let there = try? await ArchiveContent.read(file, of: month)
        guard there?.rows == content.rows, there?.tenants == content.tenants else { throw Refusal.otherFile(file.lastPathComponent) }
    }

    /// Compares the file with the month's statements.
    /// - Throws: `Refusal.differs` unless the file contains exactly each statement's events.
    func compare(_ content: ArchiveContent, with month: Month, isRestoring: Bool = false) async throws {
        let statements = try await database.run(
            """
            SELECT tenant.id, events, digest, status = 'purged' AS is_purged
            FROM (\(part: closed(month))) AS closed JOIN (\(part: Tenant.names)) AS tenant ON tenant.id = tenant_id
            """)
        var onFile = Dictionary(uniqueKeysWithValues: content.tenants.map { ($0.tenant_id, $0) })
        for row in statements {
            let tenant = try row.get("id", as: UUID.self)
            let found = onFile.removeValue(forKey: tenant)
            // A purge removed the tenant's events. A file that was written before the purge still contains them.
            if try row.get("is_purged", as: Bool.self), found == nil || isRestoring { continue }
            guard try found?.rows ?? 0 == row.get("events", as: Int.self),
                try found == nil || found?.digest == row.get("digest", as: [UInt8].self).hexadecimal
            else { throw Refusal.differs(month, ID<Tenant>(tenant).description) }
        }
        guard onFile.isEmpty else { throw Refusal.open(month) }
    }

    // MARK: The ledger

    /// Removes the marks of an archived month, because its users are aggregated. A late login of the month changes its users only after the
    /// month is restored (`RestoredUsers`).
    ///
    /// This runs after the removal of the month, in small parts. So no login waits for it, and the next process continues after a crash.
    private func forgetMarks() async throws {
        while true {
            let deleted = try await database.run(
                """
                DELETE FROM usage_month_user WHERE (tenant_id, month, user_id, application_id, connection) IN (
                    SELECT tenant_id, month, user_id, application_id, connection FROM usage_month_user
                    WHERE month IN (SELECT month FROM usage_archive) LIMIT 10000)
                """)
            guard deleted.affected > 0 else { return }
        }
    }

    private func isArchived(_ month: Month) async throws -> Bool {
        try await !database.run("SELECT FROM usage_archive WHERE month = \(month)").isEmpty
    }

    private func handOver(_ month: Month, _ rows: Int) async throws -> Outcome {
        for attempt in 1... {
            do {
                let (_, answers) = try await database.run(
                    // A transaction that waits for a lock on the whole ledger would block logins.
                    "SELECT set_config('lock_timeout', '500', true)",
                    "SELECT archive_usage_partition(\(month), \(rows)) AS answer")
                switch try answers[0].get("answer", as: String.self) {
                case "archived": return .archived(rows)
                case "gone": return .alreadyArchived
                case "open": throw Refusal.open(month)
                case "waiting": throw Refusal.waiting(month)
                default: throw Refusal.counted(month)
                }
            } catch let error as DatabaseError where error.isLockTimeout || error.isSerializationFailure {
                guard attempt < attempts else { throw Refusal.busy(month) }
                try await Task.sleep(for: .seconds(1))
            }
        }
        throw Refusal.busy(month)
    }
}

extension ArchiveUsage {
    /// The reason why a month stays in the ledger, or why a file is not restored.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case folder(String)
        case inUse
        case open(Month)
        case counted(Month)
        case waiting(Month)
        case differs(Month, String)
        case sums(Month)
        case busy(Month)
        case otherFile(String)
        case damaged(String)
        case missing(String)
        case notArchived(Month)
        case notRestored(Month)

        package var description: String {
            switch self {
            case .folder(let path): "Cannot write to \(path)."
            case .inUse: "Another process is archiving into this folder. Try again later."
            case .open(let month): "\(month) has events without a closed statement. Wait until the month is closed."
            case .counted(let month): "New events arrived in \(month). Try again."
            case .waiting(let month): "Events of \(month) are not aggregated yet. Try again in a minute."
            case .differs(let month, let tenant):
                "\(month) of \(tenant) differs from its statement and stays in the ledger. Run `espalier usage verify`."
            case .sums(let month):
                "The aggregated numbers of \(month) differ from the ledger, so it stays there. Run `espalier usage verify`."
            case .busy(let month): "\(month) is unchanged, because another process is reading the ledger. Try again."
            case .otherFile(let file): "\(file) already exists with other content. Move it to another place."
            case .damaged(let file): "\(file) is damaged or was changed."
            case .missing(let file): "Cannot read \(file). Use the path of an archived month's file. Its manifest must be beside it."
            case .notArchived(let month): "\(month) is not archived, or has another number of events."
            case .notRestored(let month): "The ledger already has other events of \(month)."
            }
        }
    }
}
