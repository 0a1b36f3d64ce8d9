import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Pipeline")
struct PipelineTests {
    private let pool: DatabasePool

    init() async throws {
        // Only objects of the session, so that the database can be shared: one connection, temporary tables.
        pool = try await SharedDatabase.pool { $0.maximumConnections = 1 }
        _ = try await pool.run("CREATE TEMP TABLE item (id int PRIMARY KEY, parent int CONSTRAINT item_parent REFERENCES item)")
    }

    private func count() async throws -> Int {
        try await pool.run("SELECT count(*) AS n FROM item")[0].get("n")
    }

    @Test("statements run in order, and the prelude's results are left out")
    func results() async throws {
        let rows = try await pool.run(
            ["INSERT INTO item VALUES (1), (2)", "SELECT current_setting('test.tenant') AS tenant"],
            prelude: ["SELECT set_config('test.tenant', \("seven"), true)"])
        #expect(rows.count == 2)
        #expect(rows[0].affected == 2)
        #expect(try rows[1][0].get("tenant") == "seven")
    }

    @Test("the prelude's settings end with its transaction")
    func preludeIsLocal() async throws {
        let setting: SQL = "SELECT coalesce(current_setting('test.local', true), '') AS value, pg_backend_pid() AS pid"
        let first = try await pool.run(setting, prelude: ["SELECT set_config('test.local', \("set"), true)"])[0]
        let second = try await pool.run(setting)[0]
        #expect(try first.get("pid", as: Int.self) == second.get("pid"))
        #expect(try first.get("value") == "set")
        #expect(try second.get("value") == "")
    }

    @Test("an error in the middle undoes everything, is the first error, and leaves the connection usable")
    func atomic() async throws {
        let error = await databaseError {
            _ = try await pool.run([
                "INSERT INTO item VALUES (1)", "INSERT INTO item VALUES (2, 99)", "INSERT INTO nowhere VALUES (3)",
            ])
        }
        #expect(error?.sqlState == "23503")
        #expect(error?.constraint == "item_parent")
        #expect(error?.table == "item")
        // The temporary table still exists, so it is the same connection.
        #expect(try await count() == 0)
    }

    @Test("statements prepared after an error are prepared when they are needed")
    func preparedAfterError() async throws {
        let later: SQL = "SELECT \(5) AS never_prepared_before"
        #expect(await databaseError { _ = try await pool.run(["SELECT 1 / 0", later]) }?.sqlState == "22012")
        #expect(try await pool.run(later)[0].get("never_prepared_before") == 5)
    }

    @Test("megabytes in both directions at once do not block each other")
    func large() async throws {
        let text = String(repeating: "0123456789abcdef", count: 200_000)
        let rows = try await pool.run((0..<5).map { "SELECT \(text) AS text, \($0) AS number" })
        for (number, rows) in rows.enumerated() {
            #expect(try rows[0].get("text", as: String.self) == text)
            #expect(try rows[0].get("number") == number)
        }
    }

    @Test("an empty list of statements works")
    func none() async throws {
        #expect(try await pool.run([]).isEmpty)
    }

    @Test("COPY in the wrong place is an error, and the pool stays usable")
    func copy() async throws {
        #expect(await databaseError { _ = try await pool.run("COPY item TO STDOUT") }?.kind == .misuse)
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }
}
