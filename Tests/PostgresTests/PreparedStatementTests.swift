import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Prepared statements")
struct PreparedStatementTests {
    private let pool: DatabasePool

    init() async throws {
        // Only objects of the session, so that the database can be shared: one connection, temporary tables.
        pool = try await SharedDatabase.pool { $0.maximumConnections = 1 }
    }

    private func prepared(like text: String) async throws -> Int {
        try await pool.run("SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE \(text)")[0].get("n")
    }

    @Test("a statement is prepared once per connection, for all values")
    func reuse() async throws {
        for number in 1...5 { #expect(try await pool.run("SELECT \(number) AS reused")[0].get("reused") == number) }
        #expect(try await prepared(like: "SELECT $1 AS reused") == 1)
        let executions: Int = try await pool.run(
            "SELECT generic_plans + custom_plans AS n FROM pg_prepared_statements WHERE statement = 'SELECT $1 AS reused'")[0].get("n")
        #expect(executions == 5)
    }

    @Test("the same text with values of other types is another statement")
    func types() async throws {
        #expect(try await pool.run("SELECT \(1)::text AS typed")[0].get("typed") == "1")
        #expect(try await pool.run("SELECT \("one")::text AS typed")[0].get("typed") == "one")
        #expect(try await pool.run("SELECT \(true)::text AS typed")[0].get("typed") == "true")
        #expect(try await prepared(like: "SELECT $1::text AS typed") == 3)
    }

    @Test("the least recently used statements are replaced: at most 256 are stored, and those in use stay")
    func leastRecentlyUsed() async throws {
        for number in 0..<400 {
            _ = try await pool.run([SQL(unsafe: "SELECT \(number) AS many"), "SELECT \(number) AS kept"])
        }
        // New statements of a batch are prepared before old ones are deallocated.
        #expect(try await prepared(like: "%") <= 261)
        #expect(try await prepared(like: "SELECT $1 AS kept") == 1)
        #expect(try await prepared(like: "SELECT 0 AS many") == 0)
        #expect(try await pool.run("SELECT 0 AS many")[0].get("many") == 0)
    }

    @Test("nothing precedes the BEGIN of a serializable transaction, even if statements are deallocated with it")
    func deallocation() async throws {
        for number in 0..<300 { _ = try await pool.run(SQL(unsafe: "SELECT \(number) AS before_begin")) }
        // Snapshots of a serializable transaction are of its own start, so a statement before BEGIN is an error.
        let rows = try await pool.run(
            ["SELECT current_setting('transaction_isolation') AS level", "COMMIT"], prelude: ["BEGIN ISOLATION LEVEL SERIALIZABLE"])
        #expect(try rows[0][0].get("level") == "serializable")
        #expect(try await prepared(like: "%") <= 261)
    }

    @Test("a statement whose result changed with its table is prepared again automatically")
    func changedTable() async throws {
        _ = try await pool.run(["CREATE TEMP TABLE thing (a int)", "INSERT INTO thing VALUES (1)"])
        let select: SQL = "SELECT * FROM thing"
        #expect(try await pool.run(select)[0].get("a") == 1)
        _ = try await pool.run("ALTER TABLE thing ADD b text DEFAULT 'new'")
        #expect(try await pool.run(select)[0].get("b") == "new")
        // In an explicit transaction, the whole transaction is repeated.
        _ = try await pool.run("ALTER TABLE thing ADD c int DEFAULT 3")
        #expect(try await pool.transaction { try await $0.run(select)[0].get("c", as: Int.self) } == 3)
    }

    @Test("a session that lost its statements prepares them again")
    func discarded() async throws {
        let select: SQL = "SELECT \(1) AS forgotten"
        _ = try await pool.run(select)
        _ = try await pool.run("DEALLOCATE ALL")
        #expect(try await pool.run(select)[0].get("forgotten") == 1)
    }

    @Test("a session that lost its statements repeats a transaction as a whole, with its BEGIN and prelude")
    func discardedInTransaction() async throws {
        struct Refusal: Error {}
        let setting: SQL = "SELECT set_config('test.tenant', 'seven', true)"
        _ = try await pool.run("CREATE TEMP TABLE item (tenant text)")
        let insert: SQL = "INSERT INTO item VALUES (current_setting('test.tenant'))"
        try await pool.transaction(prelude: [setting]) { _ = try await $0.run(insert) }
        _ = try await pool.run("DEALLOCATE ALL")
        await #expect(throws: Refusal.self) {
            try await pool.transaction(prelude: [setting]) { db in
                _ = try await db.run(insert)
                throw Refusal()
            }
        }
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 1)
        _ = try await pool.run("DEALLOCATE ALL")
        try await pool.transaction(prelude: [setting]) { _ = try await $0.run(insert) }
        #expect(try await pool.run("SELECT count(*) AS n FROM item WHERE tenant = 'seven'")[0].get("n") == 2)
    }
}
