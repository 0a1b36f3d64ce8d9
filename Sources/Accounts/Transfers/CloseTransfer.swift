import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TransferRoutes {
    /// Ends a transfer at once: nobody moves any more. Identities that came by it stay; the transfer identifiers go, for nobody needs
    /// them any more. As many as a request has time for go here, the rest by `ForgetTransferIdentifiers`' pass, or when this is called
    /// again.
    @Sendable
    func closeTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let (id, now) = (try transfer(inPathOf: call), now())
        let (tenant, origin, database) = (call.tenant, call.origin, call.database(pool))
        try await database.transaction { db in
            // Only the transfer's own row, which sign-ins take after those of their users.
            let ended = try await db.run(
                """
                UPDATE team_transfer SET closed_at = \(now), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
                WHERE tenant_id = \(tenant) AND id = \(id) AND closed_at IS NULL
                """
            ).affected
            let reply = try await self.reply(id, of: tenant, in: db, at: now)
            guard ended > 0 else { return }
            _ = try await db.run(
                try AuditEvent.insert("closeTransfer", of: id.description, owner: tenant.uuid, by: origin, after: reply, at: now))
        }
        try await ForgetTransferIdentifiers(pool: pool, logger: logger).forget(
            id, of: tenant, batches: ForgetTransferIdentifiers.batchesInRequest, at: now)
        let reply = try await database.run(TransferReply.find(id, of: tenant)).first { try TransferReply($0, at: now) }
        guard let reply else { throw Problem.notFound("transfer") }
        return try .json(reply)
    }
}
