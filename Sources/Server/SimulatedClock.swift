import Postgres

/// Whether an installation's database trusts the times that its servers send, for development and tests.
///
/// Only the owner of the schema can change this. So a server alone can neither close a month before its end nor change the date of
/// an audit event.
package enum SimulatedClock {
    /// - Parameter url: The URL of the role that owns the schema.
    /// - Throws: `DatabaseError`
    package static func set(_ isSimulated: Bool, url: String) async throws {
        try await withPool(url) { pool in
            // Older migrations do not have this table.
            guard try await !pool.run("SELECT WHERE to_regclass('simulated_clock') IS NOT NULL").isEmpty else { return }
            _ = try await pool.run(
                isSimulated ? "INSERT INTO simulated_clock DEFAULT VALUES ON CONFLICT DO NOTHING" : "DELETE FROM simulated_clock")
        }
    }
}
