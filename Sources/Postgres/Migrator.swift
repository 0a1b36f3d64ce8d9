import Foundation

/// Migrates a database's schema to the state of a folder of migrations, forward only.
///
/// Each file runs in one transaction with its row in `schema_migration`. So either both take effect or neither. A file with the first
/// line `-- espalier: no transaction` has one statement such as `CREATE INDEX CONCURRENTLY`, which runs without a transaction. Several
/// processes may migrate at once: an advisory lock makes them run one after the other.
package struct Migrator: Sendable {
    /// The state of a database compared with the folder.
    package enum Status: Sendable, Equatable {
        case current
        /// These migrations have not been applied.
        case behind([String])
        /// A newer version has applied these migrations, which this version does not know.
        case ahead([String])
    }

    /// How a migration waits for locks that other sessions hold.
    package struct Patience: Sendable {
        /// The `lock_timeout` of each attempt. The statements of others queue behind a waiting ALTER TABLE for this time at most.
        package var lockTimeout: Duration
        /// The time after which a migration is not tried again.
        package var total: Duration

        package init(lockTimeout: Duration = .seconds(2), total: Duration = .seconds(300)) {
            (self.lockTimeout, self.total) = (lockTimeout, total)
        }
    }

    private let migrations: [Migration]

    /// Reads all `.sql` files of a folder.
    /// - Throws: `MigrationError` for a name, number or gap that makes the order unclear.
    package init(folder: String) throws {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw MigrationError.unreadableFolder(folder)
        }
        migrations = try files.filter { $0.hasSuffix(".sql") }.sorted().map { file in
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + file) else {
                throw MigrationError.unreadableFolder(folder)
            }
            return try Migration(file: file, bytes: Array(bytes))
        }
        for (first, second) in zip(migrations, migrations.dropFirst()) where first.version == second.version {
            throw MigrationError.duplicate(first.file, second.file)
        }
        for (index, migration) in migrations.enumerated() where migration.version != index + 1 {
            throw MigrationError.gap(expected: index + 1, file: migration.file)
        }
    }

    // MARK: Migrating

    /// Applies the missing migrations, as the role that will own the schema.
    /// - Parameters:
    ///   - patience: How long a migration waits for locks.
    ///   - onWait: Receives a sentence for people once per wait, with what the migration waits for.
    /// - Returns: The names of the applied migrations.
    /// - Throws: `MigrationError`, `DatabaseError`.
    @discardableResult
    package func migrate(
        url: String, patience: Patience = Patience(), onWait: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> [String] {
        // No time limits, because a migration may run long. `MigrationRun` limits the waits for locks.
        let parameters = try ConnectionParameters(
            url: url, applicationName: "migrator",
            settings: [("timezone", "UTC"), ("statement_timeout", "0"), ("lock_timeout", "0")])
        return try await migrate(over: parameters, patience, onWait)
    }

    @EventLoop
    private func migrate(
        over parameters: ConnectionParameters, _ patience: Patience, _ onWait: @escaping @Sendable (String) -> Void
    ) async throws -> [String] {
        let session = try await DatabaseSession.open(Connector(parameters))
        // The lock belongs to the session and ends with it.
        defer { session.close() }
        try await lock(session, onWait)
        _ = try await session.run([Self.table])
        let pending = try pending(applied: try await session.run(applied), toleratesNewer: false)
        let run = MigrationRun(session: session, parameters: parameters, patience: patience, onWait: onWait)
        for migration in pending { try await run.apply(migration) }
        return pending.map(\.name)
    }

    /// Waits until no other process migrates, without a limit. It asks again and again, because a statement that waits has a snapshot.
    /// `CREATE INDEX CONCURRENTLY` of the other process would wait for the end of that snapshot, and so the two would block each other.
    @EventLoop
    private func lock(_ session: DatabaseSession, _ onWait: @Sendable (String) -> Void) async throws {
        var isWaiting = false
        while try await !session.run("SELECT pg_try_advisory_lock(\(Self.lock)) AS is_ours")[0].get("is_ours", as: Bool.self) {
            if !isWaiting { onWait("Another process migrates this database. This one continues when the other has ended.") }
            isWaiting = true
            try await Task.sleep(for: .milliseconds(200) * Double.random(in: 0.5...1))
        }
    }

    /// Any number that nothing else in the database locks: "migrate" in ASCII.
    private static let lock: Int64 = 0x6D_6967_7261_7465

    private static let table: SQL = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            version int PRIMARY KEY,
            name text NOT NULL,
            checksum bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """

    private let applied: SQL = "SELECT version, name, checksum FROM schema_migration ORDER BY version"

    /// Compares the applied migrations with the available ones, and returns the missing ones.
    private func pending(applied: Rows, toleratesNewer: Bool) throws -> [Migration] {
        var done: Set<Int> = []
        for row in applied {
            let version: Int = try row.get("version")
            let name: String = try row.get("name")
            done.insert(version)
            guard migrations.indices.contains(version - 1) else {
                if toleratesNewer { continue }
                throw MigrationError.missing(name: name)
            }
            let migration = migrations[version - 1]
            guard migration.name == name else { throw MigrationError.missing(name: name) }
            guard try migration.checksum == row.get("checksum", as: [UInt8].self) else {
                throw MigrationError.edited(file: migration.file)
            }
        }
        return migrations.filter { !done.contains($0.version) }
    }

    // MARK: Status

    /// Compares without writing, so that the server's own role may call it if it may read `schema_migration`.
    /// - Throws: `MigrationError` for a file that was edited or is missing, `DatabaseError`.
    package func status(of pool: DatabasePool) async throws -> Status {
        let exists: Bool = try await pool.run("SELECT to_regclass('schema_migration') IS NOT NULL AS found")[0].get("found")
        guard exists else { return migrations.isEmpty ? .current : .behind(migrations.map(\.name)) }
        let applied = try await pool.run(self.applied)
        let pending = try pending(applied: applied, toleratesNewer: true)
        let newer = try applied.filter { try $0.get("version") > migrations.count }
        if !newer.isEmpty { return .ahead(try newer.map { try $0.get("name") }) }
        return pending.isEmpty ? .current : .behind(pending.map(\.name))
    }
}
