import Access
import Foundation
import Logging
import Postgres

/// Forgets the transfer identifiers of closed transfers, a batch in each transaction: none is longer than a statement may take, however
/// many users there are, and one that is killed leaves the rest to the next. Every process may do this at any time; users whom
/// another one holds at this moment are left out, and are looked for again before the transfer counts as closed.
struct ForgetTransferIdentifiers: Sendable {
    let pool: DatabasePool
    let logger: Logger

    /// How many users a statement changes.
    static let batch = 1000
    /// As many batches as somebody waits for who closes a transfer: about a second.
    static let batchesInRequest = 10

    private static let beforeAll = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// One that cannot be finished does not stop the others, and goes on at the next pass.
    func pass(at now: Date) async throws {
        let closing = try await PlatformDatabase(pool).run(
            "SELECT tenant_id, id FROM team_transfer WHERE closed_at IS NOT NULL AND forgotten_at IS NULL ORDER BY tenant_id, id"
        ).map { (try $0.get("tenant_id", as: ID<Tenant>.self), try $0.get("id", as: ID<TeamTransfer>.self)) }
        for (tenant, transfer) in closing {
            do { try await forget(transfer, of: tenant, at: now) } catch {
                try Task.checkCancellation()
                if (error as? DatabaseError)?.isOutage == true { throw error }
                logger.warning("a transfer could not be closed", metadata: ["transfer": "\(transfer)", "cause": "\(error)"])
            }
        }
    }

    /// - Parameter batches: after how many it stops, finished or not.
    func forget(_ transfer: ID<TeamTransfer>, of tenant: ID<Tenant>, batches: Int = .max, at now: Date) async throws {
        let database = OwnerDatabase(pool, tenant: tenant)
        let isClosing = try await database.run(
            """
            SELECT FROM team_transfer WHERE tenant_id = \(tenant) AND id = \(transfer) AND closed_at IS NOT NULL AND forgotten_at IS NULL
            """)
        guard !isClosing.isEmpty else { return }
        // Users in their order, each batch after the last one: those that are done are not looked through again. PostgreSQL expects so few
        // rows that it would rather read and sort all that are left, for every batch. It is kept from that, and from the index by
        // identifier, which is in another order; nor is a join its to choose, which would be each with all before the table is analysed.
        var (last, count) = (Self.beforeAll, 0)
        while count < batches {
            let forgotten = try await database.run([
                "SET LOCAL enable_bitmapscan = off",
                """
                WITH next AS (
                    SELECT user_id FROM team_transfer_user
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer) AND COALESCE(transfer_sub, '') <> ''
                        AND user_id > \(last)
                    ORDER BY user_id LIMIT \(Self.batch) FOR UPDATE SKIP LOCKED),
                forgotten AS (
                    UPDATE team_transfer_user SET transfer_sub = NULL
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer)
                        AND user_id > \(last) AND user_id <= (SELECT user_id FROM next ORDER BY user_id DESC LIMIT 1)
                        AND user_id = ANY(ARRAY(SELECT user_id FROM next))
                    RETURNING user_id)
                SELECT user_id FROM forgotten ORDER BY user_id DESC
                """,
            ])[1]
            guard forgotten.count == Self.batch, let end = try forgotten.first({ try $0.get("user_id", as: UUID.self) }) else { break }
            (last, count) = (end, count + 1)
        }
        // Not as long as somebody else is at some of them.
        _ = try await database.run(
            """
            UPDATE team_transfer SET forgotten_at = \(now), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
            WHERE tenant_id = \(tenant) AND id = \(transfer) AND closed_at IS NOT NULL AND forgotten_at IS NULL
                AND NOT EXISTS (SELECT FROM team_transfer_user
                    WHERE tenant_id = \(tenant) AND transfer_id = \(transfer) AND transfer_sub IS NOT NULL)
            """)
    }
}
