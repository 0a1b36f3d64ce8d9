import CLibPQ

/// Applies migrations in one session, one after the other.
@EventLoop
struct MigrationRun {
    let session: DatabaseSession
    let parameters: ConnectionParameters
    let patience: Migrator.Patience
    /// Receives a sentence when a migration waits.
    let onWait: @Sendable (String) -> Void

    /// - Throws: `MigrationError`, `CancellationError`.
    func apply(_ migration: Migration) async throws {
        do {
            switch migration.mode {
            case .transaction: try await applyInTransaction(migration)
            case .alone: try await applyAlone(migration)
            }
        } catch let error as DatabaseError {
            let line = error.position.map { 1 + migration.text.unicodeScalars.prefix($0 - 1).count { $0 == "\n" } }
            throw MigrationError.failed(file: migration.file, line: line, reason: error.description)
        }
    }

    private func record(_ migration: Migration) -> SQL {
        """
        INSERT INTO schema_migration (version, name, checksum)
        VALUES (\(migration.version), \(migration.name), \(migration.checksum))
        """
    }

    // MARK: In a transaction

    /// Repeats the whole transaction until it gets its locks.
    ///
    /// A statement that waits for a strong lock, such as ALTER TABLE, makes all later statements of other sessions wait behind it.
    /// So each wait is short, and the transaction then lets the others pass.
    private func applyInTransaction(_ migration: Migration) async throws {
        let end = ContinuousClock.now + patience.total
        var observer: LockObserver?
        defer { observer?.close() }
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await attempt(migration, observedBy: observer)
            } catch let error as DatabaseError where error.isLockFailure && session.failure == nil {
                _ = try await session.run(["ROLLBACK"], isCancellable: false)
                let pause = Self.pause(afterAttempts: attempts)
                guard .now + pause < end else {
                    throw MigrationError.locked(file: migration.file, attempts: attempts, holders: observer?.holders ?? [])
                }
                if observer == nil { observer = await self.observer(for: migration) }
                try await Task.sleep(for: pause)
            }
        }
    }

    /// Only messages need it, so a failure to connect has no effect.
    private func observer(for migration: Migration) async -> LockObserver? {
        let (file, onWait) = (migration.file, onWait)
        return try? await LockObserver(parameters, of: session) { holders in
            onWait("\(file) waits for a lock. \(holders.joined(separator: " "))")
        }
    }

    /// 250 ms, doubled up to 8 s. Half of it is random, so that attempts do not always meet the same recurring work.
    private static func pause(afterAttempts attempts: Int) -> Duration {
        .milliseconds(250 << min(attempts - 1, 5)) * Double.random(in: 0.5...1)
    }

    private func attempt(_ migration: Migration, observedBy observer: LockObserver?) async throws {
        try await watched(by: observer) {
            let limit = Int64((patience.lockTimeout / .milliseconds(1)).rounded(.up))
            _ = try await session.run(["BEGIN", "SELECT set_config('lock_timeout', \(String(limit)), true)"])
            try await session.script(migration.text)
            guard session.transactionStatus == PQTRANS_INTRANS else { throw MigrationError.endsTransaction(file: migration.file) }
            _ = try await session.run([record(migration), "COMMIT"])
        }
    }

    private func watched(by observer: LockObserver?, _ body: @EventLoop () async throws -> Void) async throws {
        let interval = patience.lockTimeout / 4
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let observer { group.addTask { await observer.watch(every: interval) } }
            defer { group.cancelAll() }
            try await body()
        }
    }

    // MARK: Without a transaction

    /// Runs the statement, and records it after it has succeeded. If the process ends in between, the next run repeats it.
    ///
    /// Its waits for locks have no limit. With CONCURRENTLY, no read or write of a row queues behind them, and a limit would leave an
    /// invalid index.
    private func applyAlone(_ migration: Migration) async throws {
        let before = try await invalidIndexes()
        guard before.isEmpty else { throw MigrationError.invalidIndexes(before, file: migration.file) }
        let observer = await observer(for: migration)
        defer { observer?.close() }
        do {
            // As a prepared statement, because PostgreSQL rejects a second statement in it.
            try await watched(by: observer) { _ = try await session.run([SQL(unsafe: migration.text)]) }
        } catch let error as DatabaseError {
            if error.sqlState == "42601", error.position == nil { throw MigrationError.severalStatements(file: migration.file) }
            guard session.failure == nil, case let left = try await invalidIndexes(), !left.isEmpty else { throw error }
            throw MigrationError.leftInvalidIndexes(left, file: migration.file, reason: error.description)
        }
        _ = try await session.run([record(migration)])
    }

    /// The indexes of the schema that no query uses, because a statement with CONCURRENTLY did not finish. The index of a partitioned
    /// table may be invalid on purpose, until all partitions have theirs.
    private func invalidIndexes() async throws -> [String] {
        try await session.run(
            """
            SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE NOT i.indisvalid AND c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1
            """
        ).map { try $0.get("name") }
    }
}

extension DatabaseError {
    /// A lock was not available in time (55P03), or the statement and another one blocked each other (40P01).
    fileprivate var isLockFailure: Bool { sqlState == "55P03" || sqlState == "40P01" }
}
