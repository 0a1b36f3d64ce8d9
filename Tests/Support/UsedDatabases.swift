import Postgres

/// Databases whose tests have ended, for later tests.
///
/// A copy of the template has more than 700 files, and costs PostgreSQL more than the statements of most tests. Deleting the rows of a test
/// costs a fraction of that. A database gets a new name before it is used again, so nothing that its last test left running can reach it.
struct UsedDatabases: Sendable {
    /// The highest transaction ID of the migrations. Rows with a higher one are a test's, or the row of `simulated_clock`.
    private let last: Int
    /// Returns the definitions of a database, and how many rows of the migrations it still has.
    private let state: String
    /// The result for a new database.
    private let fresh: String
    /// The oldest is first, because the sessions of its test have had the longest time to end.
    private var names: [String] = []

    /// Reads the template directly after its migrations.
    /// - Parameter template: for the superuser.
    init(template: DatabasePool) async throws {
        last = try await template.run("SELECT pg_current_xact_id()::text::bigint AS last")[0].get("last")
        let definitions = [
            "pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_index", "pg_proc", "pg_trigger", "pg_policy", "pg_type",
            "pg_namespace", "pg_rewrite", "pg_statistic", "pg_event_trigger", "pg_extension", "pg_default_acl",
        ].map { "(SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM \($0))" }
        let rows = try await template.run(SQL(unsafe: Self.tables)).map { [last] in
            "(SELECT count(*)::text FROM \(try $0.get("name", as: String.self)) WHERE xmin::text::bigint <= \(last))"
        }
        state = "SELECT concat_ws(' ', \((definitions + rows).joined(separator: ", "))) AS state"
        fresh = try await template.run(SQL(unsafe: state))[0].get("state")
    }

    mutating func add(_ name: String) { names.append(name) }

    mutating func next() -> String? { names.isEmpty ? nil : names.removeFirst() }

    /// Removes what the last test of a database wrote.
    /// - Parameter database: for the superuser.
    /// - Returns: whether the database is like new. It is not if the test changed definitions, or rows of the migrations, or wrote much.
    func clean(_ database: DatabasePool) async throws -> Bool {
        guard try await database.run(SQL(unsafe: state))[0].get("state") == fresh,
            // Deleted rows keep their space, and would make later tests slow.
            try await database.run("SELECT pg_database_size(current_database()) AS bytes")[0].get("bytes") < 20_000_000
        else { return false }
        // Without triggers and foreign keys, because some protect rows from deletion.
        let delete = """
            DO $$
            DECLARE name regclass;
            BEGIN
                SET LOCAL session_replication_role = replica;
                FOR name IN \(Self.tables) LOOP
                    EXECUTE format('DELETE FROM %s WHERE xmin::text::bigint > \(last)', name);
                END LOOP;
            END $$
            """
        _ = try await database.run([SQL(unsafe: delete), "INSERT INTO simulated_clock DEFAULT VALUES"])
        return true
    }

    /// The tables that have, or had, rows.
    private static let tables = """
        SELECT oid::regclass::text AS name FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
        """
}
