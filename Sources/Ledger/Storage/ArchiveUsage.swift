import Access
package import Foundation
package import Postgres

/// Takes old months out of the ledger and puts them into files, from which the statements can still be proven.
///
/// The file is written first, is on the disk, is read back and compared with the month's statements, digest by digest; only then the
/// database gives the month away, after it has counted for itself (`archive_usage_partition`). Who dies before has left the month where
/// it was; who dies after has left the whole file.
package struct ArchiveUsage: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// This many events are on the file now, and no longer in the ledger.
        case archived(Int)
        /// This many would be.
        case due(Int)
        /// Another process has taken it out.
        case gone
    }

    private let pool: DatabasePool
    private let folder: String
    /// How often the ledger is asked for the moment it takes to give a month away, a second apart: a long export may be reading.
    private let attempts: Int

    /// - Parameter pool: of the role that owns the schema, which alone may take events away; one whose statements may take long.
    package init(to folder: String, pool: DatabasePool, attempts: Int = 30) {
        (self.folder, self.pool, self.attempts) = (folder, pool, attempts)
    }

    /// The first month that is kept, when so many whole ones are besides the current.
    package static func limit(keeping months: Int, at now: Date) -> Month {
        (0..<months).reduce(Month(now)) { month, _ in month.previous }
    }

    /// Archives all months before one, the oldest first, and none after one that cannot be.
    ///
    /// - Parameters:
    ///   - limit: the current month at most.
    ///   - isDryRun: only says what would be done.
    ///   - report: is told of each month when it is done.
    /// - Throws: `Refusal`, `DatabaseError`, and what the file system says.
    package func run(
        before limit: Month, isDryRun: Bool = false, at now: Date, _ report: (Month, Outcome) -> Void = { _, _ in }
    ) async throws {
        let database = PlatformDatabase(pool)
        let limit = min(limit, Month(now))
        // One that is recorded as archived and is there is being restored.
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
        // The folder is nobody's concern while nothing is written to it.
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
                // Taken out by another process while this one was about to read it: there is nothing left to compare.
                guard try await isTakenOut(month) else { throw refusal }
                report(month, .gone)
                continue
            }
            report(month, try await handOver(month, content.rows))
        }
        if folder != nil { try await forgetMarks() }
    }

    /// Before hours are spent on a file that cannot be used.
    /// - Throws: `Refusal.open`, or `Refusal.sums`: what was added up is all that answers are made of when the events have left.
    private func count(_ month: Month) async throws -> Int {
        let counted = try await PlatformDatabase(pool).run(
            """
            SELECT COALESCE(sum(events), 0)::bigint AS events, COALESCE(bool_or(billed IS DISTINCT FROM events), false) AS is_open,
                COALESCE(bool_or(added_up + waiting <> events), false) AS differs
            FROM (
                SELECT tenant_id, count(*) AS events, (
                    SELECT statement.events FROM statement
                    WHERE statement.tenant_id = event.tenant_id AND period = \(month) AND state = 'closed') AS billed, (
                    SELECT COALESCE(sum(usage_day.events), 0) FROM usage_day
                    WHERE usage_day.tenant_id = event.tenant_id AND billing_period = \(month)) AS added_up, (
                    SELECT count(*) FROM usage_arrival
                    WHERE usage_arrival.tenant_id = event.tenant_id AND billing_period = \(month)) AS waiting
                FROM usage_event AS event WHERE billing_period = \(month) GROUP BY tenant_id) AS counted
            """)[0]
        guard try !counted.get("is_open", as: Bool.self) else { throw Refusal.open(month) }
        guard try !counted.get("differs", as: Bool.self) else { throw Refusal.sums(month) }
        return try counted.get("events")
    }

    // MARK: The file

    private func export(_ month: Month, to folder: ArchiveFolder) async throws -> ArchiveContent {
        let (file, manifest) = (folder.file(month), folder.manifest(month))
        // Where nothing comes of it. What became a file has another name by then.
        defer { for url in [file, manifest] { try? FileManager.default.removeItem(at: folder.partial(url)) } }
        // The month is written into the text, so that no other part of the table is looked at or locked. In the order of the primary
        // key: nothing is sorted.
        let rows = pool.copyOut(
            SQL(
                unsafe: """
                    COPY (SELECT \(ArchiveContent.columns.joined(separator: ", ")) FROM usage_event
                        WHERE billing_period = date '\(month.firstDay)' ORDER BY tenant_id, billing_period, occurred_at, id)
                    TO STDOUT (FORMAT csv, HEADER)
                    """),
            prelude: PlatformDatabase.prelude + [
                "SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true)", UsagePartitions.hold(month),
            ],
            upTo: 1 << 16)
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

    /// A file of this name is there: from a process that died before the month was taken out, or something that must not be lost.
    private static func checkReplacing(_ file: URL, with content: ArchiveContent, of month: Month) async throws {
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return }
        let there = try? await ArchiveContent.read(file, of: month)
        guard there?.rows == content.rows, there?.tenants == content.tenants else { throw Refusal.otherFile(file.lastPathComponent) }
    }

    /// - Throws: `Refusal.differs` unless each statement's events are on the file, to the event.
    func compare(_ content: ArchiveContent, with month: Month, isRestoring: Bool = false) async throws {
        let statements = try await PlatformDatabase(pool).run(
            """
            SELECT tenant.id, events, digest, status = 'purged' AS is_purged FROM statement JOIN tenant ON tenant.id = tenant_id
            WHERE period = \(month) AND state = 'closed'
            """)
        var onFile = Dictionary(uniqueKeysWithValues: content.tenants.map { ($0.tenant_id, $0) })
        for row in statements {
            let tenant = try row.get("id", as: UUID.self)
            let found = onFile.removeValue(forKey: tenant)
            // Its events went with it; on a file that was written before, they still are.
            if try row.get("is_purged", as: Bool.self), found == nil || isRestoring { continue }
            guard try found?.rows ?? 0 == row.get("events", as: Int.self),
                try found == nil || found?.digest == row.get("digest", as: [UInt8].self).hexadecimal
            else { throw Refusal.differs(month, ID<Tenant>(tenant).description) }
        }
        guard onFile.isEmpty else { throw Refusal.open(month) }
    }

    // MARK: The ledger

    /// Removes the marks of an archived month, because its users are added up. A late login of the month changes its users only after the
    /// month is restored (`RestoredUsers`). It runs after the month has gone, and in small parts: no login waits for it, and the next
    /// process continues after a crash.
    private func forgetMarks() async throws {
        while true {
            let gone = try await PlatformDatabase(pool).run(
                """
                DELETE FROM usage_month_user WHERE (tenant_id, month, user_id, application_id, connection) IN (
                    SELECT tenant_id, month, user_id, application_id, connection FROM usage_month_user
                    WHERE month IN (SELECT month FROM usage_archive) LIMIT 10000)
                """)
            guard gone.affected > 0 else { return }
        }
    }

    private func isTakenOut(_ month: Month) async throws -> Bool {
        try await !PlatformDatabase(pool).run("SELECT FROM usage_archive WHERE month = \(month)").isEmpty
    }

    private func handOver(_ month: Month, _ rows: Int) async throws -> Outcome {
        for attempt in 1... {
            do {
                let answer = try await PlatformDatabase(pool).run([
                    // Logins wait behind whoever waits for the whole ledger.
                    "SELECT set_config('lock_timeout', '500', true)",
                    "SELECT archive_usage_partition(\(month), \(rows)) AS answer",
                ])[1][0].get("answer", as: String.self)
                switch answer {
                case "archived": return .archived(rows)
                case "gone": return .gone
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
    /// Why a month stays in the ledger, or a file out of it.
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
            case .folder(let path): "\(path) cannot be written."
            case .inUse: "Another process archives into this folder."
            case .open(let month): "\(month) has events that are on no closed statement: wait until it is closed."
            case .counted(let month): "Events have come to \(month) meanwhile: try again."
            case .waiting(let month): "Events of \(month) are not added up yet: try again in a minute."
            case .differs(let month, let tenant):
                "\(month) of \(tenant) is not what its statement says; see `espalier usage verify`. It stays in the ledger."
            case .sums(let month):
                "What was added up of \(month) is not what the ledger has; see `espalier usage verify`. It stays in the ledger."
            case .busy(let month): "\(month) stays where it is for now: somebody has been reading all of the ledger. Try again."
            case .otherFile(let file): "\(file) is there already, and something else is in it: move it away."
            case .damaged(let file): "\(file) is not as it was written."
            case .missing(let file): "\(file) cannot be read: give the path of an archived month's file, and its manifest beside it."
            case .notArchived(let month): "\(month) is not archived, or with another number of events."
            case .notRestored(let month): "There are other events of \(month) in the ledger."
            }
        }
    }
}
