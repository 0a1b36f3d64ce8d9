import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension Login {
    /// Ends a transfer. Identities that came by it stay; the transfer identifiers go, for nobody needs them any more.
    @Sendable
    func closeTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let (id, now) = (try transfer(inPathOf: call), now())
        let (tenant, origin) = (call.tenant, call.origin)
        let reply = try await call.database(pool).transaction { db in
            guard let transfer = try await db.run(TeamTransfer.find(id, of: tenant)).first(TeamTransfer.init)
            else { throw Problem.notFound("transfer") }
            guard transfer.closedAt == nil else { return try await self.reply(id, of: tenant, in: db, at: now) }
            _ = try await db.run([
                // The users first, as a sign-in takes them; in the order in which batches do.
                """
                WITH own AS (
                    SELECT user_id FROM team_transfer_user
                    WHERE tenant_id = \(tenant) AND transfer_id = \(id) AND transfer_sub IS NOT NULL ORDER BY user_id FOR UPDATE)
                UPDATE team_transfer_user r SET transfer_sub = NULL FROM own
                WHERE r.tenant_id = \(tenant) AND r.transfer_id = \(id) AND r.user_id = own.user_id
                """,
                """
                UPDATE team_transfer SET closed_at = \(now), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
                WHERE tenant_id = \(tenant) AND id = \(id) AND closed_at IS NULL
                """,
            ])
            let reply = try await self.reply(id, of: tenant, in: db, at: now)
            _ = try await db.run(
                try AuditEvent.insert("closeTransfer", of: id.description, owner: tenant.uuid, by: origin, after: reply, at: now))
            return reply
        }
        return try .json(reply)
    }
}
