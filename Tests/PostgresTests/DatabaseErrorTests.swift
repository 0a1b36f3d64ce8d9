import Foundation
import Postgres
import TestSupport
import Testing

@Suite("DatabaseError")
struct DatabaseErrorTests {
    private let pool: DatabasePool

    init() async throws {
        // Only objects of the session, so that the database can be shared: one connection, temporary tables.
        pool = try await SharedDatabase.pool { $0.maximumConnections = 1 }
        _ = try await pool.run(
            "CREATE TEMP TABLE person (email text CONSTRAINT person_email UNIQUE, age int CONSTRAINT adult CHECK (age > 17))")
    }

    @Test("the error names the violated constraint")
    func constraint() async throws {
        let insert: SQL = "INSERT INTO person VALUES (\("jane@example.com"), \(30))"
        _ = try await pool.run(insert)
        let error = await databaseError { _ = try await pool.run(insert) }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.constraint == "person_email")
        #expect(error?.table == "person")
        #expect(error?.kind == .server)
        #expect(error?.isSerializationFailure == false)
    }

    @Test(
        "no error repeats a value, with any of the server's messages",
        arguments: [
            "INSERT INTO person VALUES (\("jane-secret"), \(3))",
            "INSERT INTO person VALUES (\("jane-secret"), 20), (\("jane-secret"), 20)",
            "SELECT \("jane-secret")::int", "SELECT \("jane-secret")::uuid", "SELECT \("jane-secret")::jsonb",
            "SELECT \("jane-secret")::timestamptz", "SELECT \("jane-secret")::inet",
            "SELECT set_config(\("jane-secret"), 'x', true)", "SELECT to_regclass(\("jane-secret."))",
            "DO $$ BEGIN RAISE EXCEPTION 'jane-secret'; END $$",
        ] as [SQL])
    func noValues(_ sql: SQL) async throws {
        let error = try #require(await databaseError { _ = try await pool.run(sql) })
        #expect(error.sqlState != nil)
        for text in ["\(error)", String(reflecting: error), error.localizedDescription] { #expect(!text.contains("jane-secret")) }
    }

    @Test("a message that names objects is included, with their position in the text")
    func message() async throws {
        let error = try #require(await databaseError { _ = try await pool.run("SELECT nothing_here FROM person") })
        #expect(error.sqlState == "42703")
        #expect(error.description.contains("nothing_here"))
        #expect(error.position == 8)
    }

    @Test("a server that accepts no changes is an outage")
    func readOnly() async throws {
        let pool = try await SharedDatabase.pool {
            $0.settings = [("default_transaction_read_only", "on")]
            // The statement is repeated during this time.
            $0.waitingTime = .seconds(3)
        }
        let error = try #require(await databaseError { _ = try await pool.run("CREATE TABLE unwanted (n int)") })
        #expect(error.sqlState == "25006" && error.isOutage)
    }
}
