import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TransferRoutes {
    /// Closes a transfer at once, so that no more users move. Identities that it created stay. Its transfer identifiers are no longer
    /// needed and are deleted. This request deletes as many as its time allows. The next pass of `ForgetTransferIdentifiers` deletes the
    /// rest, or another call.
    @Sendable
    func closeTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let (id, now) = (try transfer(inPathOf: call), now())
        let (tenant, origin, database) = (call.tenant, call.origin, call.database(pool))
        try await database.transaction { db in
            // This locks only the transfer's own row. A sign-in locks that row after those of its user.
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
        try await ForgetTransferIdentifiers.forget(
            id, of: tenant, in: database, batches: ForgetTransferIdentifiers.batchesInRequest, at: now)
        let reply = try await database.run(TransferReply.find(id, of: tenant)).first { try TransferReply($0, at: now) }
        guard let reply else { throw Problem.notFound("transfer") }
        return try .json(reply)
    }
}
