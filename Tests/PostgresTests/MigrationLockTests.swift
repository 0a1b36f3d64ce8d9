import Postgres
import Synchronization
import TestSupport
import Testing

/// Migrations in a database that others use.
@Suite("Migrations and locks")
struct MigrationLockTests {
    private let folder: TemporaryFolder
    private let url: String
    /// For the transaction that holds a lock. Its limits are off.
    private let holder: DatabasePool
    private let reader: DatabasePool

    init() async throws {
        folder = try TemporaryFolder()
        url = try await TestDatabase.empty().ownerURL
        holder = try TestDatabase.pool(url) {
            ($0.idleInTransactionTimeout, $0.applicationName) = (.zero, "export")
        }
        reader = try TestDatabase.pool(url)
        try folder.write("0001_first.sql", "CREATE TABLE first (id int); INSERT INTO first VALUES (1);")
        try await migrate()
        try folder.write("0002_second.sql", "CREATE TABLE second (id int);\nALTER TABLE first ADD name text;\n")
    }

    @discardableResult
    private func migrate(
        _ patience: Migrator.Patience = .init(), onWait: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> [String] {
        try await Migrator(folder: folder.path).migrate(url: url, patience: patience, onWait: onWait)
    }

    /// Reads `first` in a transaction that stays open while the body runs, as a long COPY does. The body gets the server's process.
    private func whileRead<R>(_ body: (Int) async throws -> R) async throws -> R {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Int.self)
        let holder = holder
        async let reading: Void = holder.transaction { db in
            defer { start.finish() }
            start.yield(try await db.run("SELECT pg_backend_pid() AS pid, count(*) FROM first")[0].get("pid"))
            for await _ in ended {}
        }
        let result = try await body(try #require(await started.first { _ in true }))
        end.finish()
        try await reading
        return result
    }

    private static let isWaiting: SQL = """
        SELECT count(*) > 0 AS done FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND a.application_name = 'migrator' AND a.datname = current_database()
        """

    @Test("an ALTER behind a long transaction lets others pass, and takes effect after the transaction has ended")
    func passes() async throws {
        let (folder, url) = (folder.path, url)
        let migration = try await whileRead { _ async throws in
            let migration = Task {
                try await Migrator(folder: folder).migrate(url: url, patience: .init(lockTimeout: .milliseconds(300), total: .seconds(300)))
            }
            // Each read comes while the migration waits. It would wait behind it until the transaction ends.
            for _ in 1...2 {
                #expect(try await reader.wait(until: Self.isWaiting))
                #expect(try await reader.run("SELECT count(*) AS n FROM first")[0].get("n") == 1)
            }
            #expect(try await reader.run("SELECT to_regclass('second') IS NULL AS gone")[0].get("gone"))
            return migration
        }
        #expect(try await migration.value == ["0002_second"])
        #expect(try await reader.run("SELECT name FROM first")[0].get("name", as: String?.self) == nil)
    }

    @Test("a migration that never gets its lock gives up, names the holder, and leaves nothing")
    func givesUp() async throws {
        try await whileRead { process async throws in
            let said = Said()
            let error = await #expect(throws: MigrationError.self) {
                try await migrate(.init(lockTimeout: .seconds(1), total: .seconds(6))) { said.add($0) }
            }
            #expect(
                said.all == [
                    "0002_second.sql waits for a lock. Process \(process) (role espalier, application export) holds a lock on first."
                ])
            let words = error?.description ?? ""
            #expect(words.hasPrefix("0002_second.sql did not get its locks"), "\(words)")
            #expect(words.contains("Process \(process) (role espalier, application export) holds a lock on first."), "\(words)")
            #expect(try await reader.run("SELECT to_regclass('second') IS NULL AS gone")[0].get("gone"))
            #expect(try await Migrator(folder: folder.path).status(of: reader) == .behind(["0002_second"]))
        }
        #expect(try await migrate() == ["0002_second"])
    }

    @Test("a migration that was the victim of a deadlock is repeated")
    func deadlock() async throws {
        // Which of two transactions PostgreSQL ends depends on their times. So the migration reports the error itself, once.
        _ = try await reader.run("CREATE SEQUENCE attempts")
        try folder.write(
            "0002_second.sql",
            """
            CREATE TABLE second (id int);
            DO $$ BEGIN
                IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
            END $$;
            """)
        #expect(try await migrate() == ["0002_second"])
        #expect(try await reader.run("SELECT last_value AS n FROM attempts")[0].get("n") == 2)
        #expect(try await Migrator(folder: folder.path).status(of: reader) == .current)
    }

    @Test("a process that waits for another one says so once")
    func otherProcess() async throws {
        let said = Said()
        let (folder, url) = (folder.path, url)
        let (first, second) = try await whileRead { _ async throws in
            let first = Task { try await Migrator(folder: folder).migrate(url: url) }
            #expect(try await reader.wait(until: Self.isWaiting))
            let second = Task {
                try await Migrator(folder: folder).migrate(url: url) { said.add($0) }
            }
            try await eventually("the second one waits") { !said.all.isEmpty }
            return (first, second)
        }
        #expect(try await first.value == ["0002_second"])
        #expect(try await second.value == [])
        #expect(said.all == ["Another process migrates this database. This one continues when the other has ended."])
        #expect(try await Migrator(folder: folder).status(of: reader) == .current)
    }
}

/// The sentences of a migration that waits.
private final class Said: Sendable {
    private let sentences = Mutex<[String]>([])

    var all: [String] { sentences.withLock { $0 } }

    func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}
