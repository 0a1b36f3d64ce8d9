import Access
import Postgres

/// How many users of a transfer are collected, moved and failed: the sum of all changes, which the database writes down by itself
/// whenever a user's state changes.
enum TransferCount {
    /// From how many changes on it is worth making one of them.
    private static let many = 100
    /// How many become one in a statement.
    private static let batch = 10_000

    /// Makes one change of many, so that there are few to sum up. Every process may do this at any time, for what another one folds at
    /// this moment is left to it; and whoever sums up meanwhile sees the many, or the one.
    static func fold(in pool: DatabasePool) async throws {
        let long = try await PlatformDatabase(pool).run(
            "SELECT tenant_id, transfer_id FROM team_transfer_count GROUP BY tenant_id, transfer_id HAVING count(*) >= \(many)"
        ).map { (try $0.get("tenant_id", as: ID<Tenant>.self), try $0.get("transfer_id", as: ID<TeamTransfer>.self)) }
        for (tenant, transfer) in long {
            _ = try await OwnerDatabase(pool, tenant: tenant).run(
                """
                WITH old AS (
                    SELECT id FROM team_transfer_count WHERE tenant_id = \(tenant) AND transfer_id = \(transfer)
                    ORDER BY id LIMIT \(batch) FOR UPDATE SKIP LOCKED),
                gone AS (
                    DELETE FROM team_transfer_count
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer) AND id = ANY(ARRAY(SELECT id FROM old))
                    RETURNING collected, moved, failed)
                INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
                SELECT \(tenant), \(transfer), sum(collected), sum(moved), sum(failed) FROM gone HAVING count(*) > 0
                """)
        }
    }
}
