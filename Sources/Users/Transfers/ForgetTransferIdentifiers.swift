import Access
import Foundation
import Logging
import Postgres

/// Deletes the transfer identifiers of closed transfers, with one transaction per batch. So no transaction takes longer than a statement
/// may, for any number of users. An interrupted run leaves the rest to the next one. Every process may run this at any time. It skips users
/// that another process has locked, and looks for them again before the transfer counts as closed.
struct ForgetTransferIdentifiers: Sendable {
    let database: PlatformDatabase
    let logger: Logger

    /// How many users a statement changes.
    static let batch = 1000
    /// How many batches run in the request that closes a transfer. They take about a second.
    static let batchesInRequest = 10

    private static let beforeAll = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Processes all closing transfers. A transfer that fails does not stop the others, and continues at the next pass.
    func pass(at now: Date) async throws {
        let closing = try await database.run(
            "SELECT tenant_id, id FROM team_transfer WHERE closed_at IS NOT NULL AND forgotten_at IS NULL ORDER BY tenant_id, id"
        ).map { (try $0.get("tenant_id", as: ID<Tenant>.self), try $0.get("id", as: ID<TeamTransfer>.self)) }
        for (tenant, transfer) in closing {
            do { try await Self.forget(transfer, of: tenant, in: database.restricted(to: tenant), at: now) } catch {
                try Task.checkCancellation()
                if (error as? DatabaseError)?.isOutage == true { throw error }
                logger.warning("a transfer could not be closed", metadata: ["transfer": "\(transfer)", "cause": "\(error)"])
            }
        }
    }

    /// - Parameter batches: the number of batches after which it stops, finished or not.
    static func forget(
        _ transfer: ID<TeamTransfer>, of tenant: ID<Tenant>, in database: OwnerDatabase, batches: Int = .max, at now: Date
    ) async throws {
        let isClosing = try await database.run(
            """
            SELECT FROM team_transfer WHERE tenant_id = \(tenant) AND id = \(transfer) AND closed_at IS NOT NULL AND forgotten_at IS NULL
            """)
        guard !isClosing.isEmpty else { return }
        // Each batch takes the next users in order of their IDs, so that finished users are not read again. PostgreSQL expects so few rows
        // that it would read and sort all remaining rows for every batch. The setting prevents that plan. The conditions prevent the use of
        // the index by identifier, which has another order. They also avoid a join, which would compare each row with all others before the
        // table is analyzed.
        var (last, count) = (beforeAll, 0)
        while count < batches {
            let (_, forgotten) = try await database.run(
                "SET LOCAL enable_bitmapscan = off",
                """
                WITH next AS (
                    SELECT user_id FROM team_transfer_user
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer) AND COALESCE(transfer_sub, '') <> ''
                        AND user_id > \(last)
                    ORDER BY user_id LIMIT \(batch) FOR UPDATE SKIP LOCKED),
                forgotten AS (
                    UPDATE team_transfer_user SET transfer_sub = NULL, apple_sub = NULL
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer)
                        AND user_id > \(last) AND user_id <= (SELECT user_id FROM next ORDER BY user_id DESC LIMIT 1)
                        AND user_id = ANY(ARRAY(SELECT user_id FROM next))
                    RETURNING user_id)
                SELECT user_id FROM forgotten ORDER BY user_id DESC
                """)
            guard forgotten.count == batch, let end = try forgotten.first({ try $0.get("user_id", as: UUID.self) }) else { break }
            (last, count) = (end, count + 1)
        }
        // The transfer is not done while another process holds some of its users.
        _ = try await database.run(
            """
            UPDATE team_transfer SET forgotten_at = \(now), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
            WHERE tenant_id = \(tenant) AND id = \(transfer) AND closed_at IS NOT NULL AND forgotten_at IS NULL
                AND NOT EXISTS (SELECT FROM team_transfer_user
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer) AND transfer_sub IS NOT NULL)
            """)
    }
}
