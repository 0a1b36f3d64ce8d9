import Access
import Postgres

/// How many users of a transfer are collected, moved and failed. Each number is the sum of all changes. The database records a change
/// automatically whenever a user's state changes.
enum TransferCount {
    /// The number of changes from which merging is worthwhile.
    private static let many = 100
    /// How many changes one statement merges.
    private static let batch = 10_000

    /// Merges many changes into one, so that few remain to be summed. Every process may run this at any time, because it skips changes that
    /// another process is merging. A concurrent sum includes either the many or the one.
    static func fold(in database: PlatformDatabase) async throws {
        let long = try await database.run(
            "SELECT tenant_id, transfer_id FROM team_transfer_count GROUP BY tenant_id, transfer_id HAVING count(*) >= \(many)"
        ).map { (try $0.get("tenant_id", as: ID<Tenant>.self), try $0.get("transfer_id", as: ID<TeamTransfer>.self)) }
        for (tenant, transfer) in long {
            _ = try await database.restricted(to: tenant).run(
                """
                WITH old AS (
                    SELECT id FROM team_transfer_count WHERE tenant_id = \(tenant) AND transfer_id = \(transfer)
                    ORDER BY id LIMIT \(batch) FOR UPDATE SKIP LOCKED),
                deleted AS (
                    DELETE FROM team_transfer_count
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer) AND id = ANY(ARRAY(SELECT id FROM old))
                    RETURNING collected, moved, failed)
                INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
                SELECT \(tenant), \(transfer), sum(collected), sum(moved), sum(failed) FROM deleted HAVING count(*) > 0
                """)
        }
    }
}
