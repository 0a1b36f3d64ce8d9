import Postgres

/// Whether an installation's database believes the times that its servers claim, as development and tests need.
///
/// Only the owner of the schema can change this. A server alone can therefore neither close a month before its end nor give an audit
/// event another date.
package enum SimulatedClock {
    /// - Parameter url: of the role that owns the schema.
    /// - Throws: `DatabaseError`
    package static func set(_ isSimulated: Bool, url: String) async throws {
        try await withPool(url) { pool in
            // An older folder of migrations has no such table.
            guard try await !pool.run("SELECT WHERE to_regclass('simulated_clock') IS NOT NULL").isEmpty else { return }
            _ = try await pool.run(
                isSimulated ? "INSERT INTO simulated_clock DEFAULT VALUES ON CONFLICT DO NOTHING" : "DELETE FROM simulated_clock")
        }
    }
}
