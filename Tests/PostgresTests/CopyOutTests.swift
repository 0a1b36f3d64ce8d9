import Foundation
import Postgres
import TestSupport
import Testing

@Suite("COPY out")
struct CopyOutTests {
    private let pool: DatabasePool
    private let observer: DatabasePool

    init() async throws {
        let url = try await TestDatabase.empty().ownerURL
        pool = try TestDatabase.pool(url) {
            $0.maximumConnections = 1
            // A COPY takes as long as its reader, which may be long next to all other tests.
            $0.statementTimeout = .seconds(60)
        }
        observer = try TestDatabase.pool(url)
    }

    @Test("all rows arrive as the server writes them, and the connection is returned")
    func stream() async throws {
        for _ in 1...2 {
            var rows = 0
            var last: [UInt8] = []
            for try await row in pool.copyOut("COPY (SELECT n, 'ü' FROM generate_series(1, 100000) AS n) TO STDOUT (FORMAT csv)") {
                rows += 1
                last = row
            }
            #expect(rows == 100_000)
            #expect(String(decoding: last, as: UTF8.self) == "100000,ü\n")
            #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
        }
    }

    @Test("several rows at a time are the same whole rows, and an error midway is thrown after them")
    func severalAtATime() async throws {
        let statement: SQL = "COPY (SELECT n, repeat('x', n % 300) FROM generate_series(1, 30000) AS n) TO STDOUT (FORMAT csv)"
        var (one, several, parts): ([UInt8], [UInt8], [Int]) = ([], [], [])
        for try await row in pool.copyOut(statement) { one += row }
        for try await rows in pool.copyOut(statement, atLeast: 10_000) {
            #expect(rows.last == UInt8(ascii: "\n"))
            // The limit, and the row that reached it.
            #expect(rows.count < 10_000 + 310)
            several += rows
            parts.append(rows.count)
        }
        #expect(one == several)
        #expect(parts.dropLast().allSatisfy { $0 >= 10_000 })
        for try await _ in pool.copyOut("COPY (SELECT 1 WHERE false) TO STDOUT", atLeast: 1000) { Issue.record("there is no row") }
        var rows = 0
        let error = await databaseError {
            let copy = pool.copyOut(
                "COPY (SELECT 1 / (1000 - n) FROM generate_series(1, 2000) AS n) TO STDOUT", atLeast: 1 << 16)
            for try await part in copy { rows += part.count { $0 == UInt8(ascii: "\n") } }
        }
        #expect(error?.sqlState == "22012")
        #expect(rows == 999)
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("values are passed in the prelude's settings, which end with it")
    func prelude() async throws {
        let copy = pool.copyOut(
            "COPY (SELECT current_setting('test.tenant')) TO STDOUT", prelude: ["SELECT set_config('test.tenant', \("seven"), true)"])
        var rows: [String] = []
        for try await row in copy { rows.append(String(decoding: row, as: UTF8.self)) }
        #expect(rows == ["seven\n"])
        #expect(try await pool.run("SELECT coalesce(current_setting('test.tenant', true), '') AS tenant")[0].get("tenant") == "")
    }

    @Test("a server that sends nothing for the time limit is given up; a slow reader is not")
    func frozen() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL) {
            // Long enough for a server on a very busy machine.
            $0.copyProgressLimit = .seconds(8)
            // A session that stays lent would block the last statement.
            $0.maximumConnections = 1
            $0.statementTimeout = .seconds(600)
        }
        var rows = 0
        for try await _ in pool.copyOut("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 10000)) TO STDOUT") {
            // Longer than the limit, once, while the server waits for the reader.
            if rows == 0 { _ = try await observer.run("SELECT pg_sleep(9)") }
            rows += 1
        }
        #expect(rows == 10000)
        let error = await databaseError {
            for try await _ in pool.copyOut("COPY (SELECT pg_sleep(600)) TO STDOUT") { Issue.record("there is no row") }
        }
        #expect(error?.message == "the server sent nothing for 8.0 seconds")
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("bound values, and statements other than COPY, are rejected")
    func misuse() async throws {
        for sql: SQL in ["COPY (SELECT \(1)) TO STDOUT", "SELECT 1", "COPY pg_class FROM STDIN"] {
            #expect(await databaseError { for try await _ in pool.copyOut(sql) {} } != nil)
            #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
        }
    }

    @Test("an error midway is thrown after the earlier rows")
    func errorMidway() async throws {
        var rows = 0
        let error = await databaseError {
            for try await _ in pool.copyOut("COPY (SELECT 1 / (1000 - n) FROM generate_series(1, 2000) AS n) TO STDOUT") { rows += 1 }
        }
        #expect(error?.sqlState == "22012")
        #expect(rows == 999)
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("a reader that pauses stops the server, and a reader that ends ends the statement")
    func abandoned() async throws {
        do {
            var rows = pool.copyOut("COPY (SELECT repeat('x', 1000), generate_series(1, 100000000)) TO STDOUT").makeAsyncIterator()
            for _ in 1...10 { _ = try await rows.next() }
            // The server waits for room in the socket. This side stores no rows.
            #expect(
                try await observer.wait(
                    until:
                        "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'ClientWrite'"
                ))
            _ = try await rows.next()
        }
        #expect(
            try await observer.wait(
                until: "SELECT count(*) = 0 AS done FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'"))
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("a session that the server ends while rows gather fails at once")
    func terminated() async throws {
        let task = Task { [pool] in
            let statement: SQL = "COPY (SELECT repeat('x', 1000), pg_sleep(0.001) FROM generate_series(1, 1000000)) TO STDOUT"
            return await databaseError { for try await _ in pool.copyOut(statement, atLeast: 1 << 30) {} }
        }
        #expect(
            try await observer.wait(
                until: """
                    SELECT count(pg_terminate_backend(pid)) = 1 AS done FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'COPY%' AND wait_event = 'PgSleep'
                    """))
        #expect(await task.value?.sqlState == "57P01")
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("cancelling the reader's task ends it")
    func cancelled() async throws {
        let task = Task { [pool] in for try await _ in pool.copyOut("COPY (SELECT pg_sleep(600)) TO STDOUT") {} }
        #expect(
            try await observer.wait(
                until: "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(
            try await observer.wait(
                until: "SELECT count(*) = 0 AS done FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'"))
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }
}
