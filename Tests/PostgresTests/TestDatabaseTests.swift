import Postgres
import TestSupport
import Testing

@Suite("TestDatabase")
struct TestDatabaseTests {
    @Test("a migrated database has all migrations, for the owner and for the server's role")
    func migrated() async throws {
        let database = try await TestDatabase.make()
        let owner = try TestDatabase.pool(database.ownerURL)
        #expect(try await owner.run("SELECT count(*) > 0 AS done FROM schema_migration")[0].get("done"))
        #expect(try await owner.run("SELECT current_user::text AS name")[0].get("name") == "espalier")
        let server = try TestDatabase.pool(database.serverURL)
        #expect(try await server.run("SELECT current_user::text AS name")[0].get("name") == "espalier_server")
    }

    @Test("databases are separate from each other")
    func apart() async throws {
        let first = try TestDatabase.pool(try await TestDatabase.empty().ownerURL)
        let second = try TestDatabase.pool(try await TestDatabase.empty().ownerURL)
        _ = try await first.run("CREATE TABLE mine (id int)")
        #expect(try await second.run("SELECT to_regclass('mine') IS NULL AS gone")[0].get("gone"))
    }
}
