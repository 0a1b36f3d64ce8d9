import Access
import Foundation
import Hummingbird
import Postgres
import Web

private struct Retried: Encodable {
    let users: Int
}

extension TransferRoutes {
    /// Retries failed users, each from the step at which it failed.
    @Sendable
    func retryTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let (id, now) = (try transfer(inPathOf: call), now())
        let (tenant, origin) = (call.tenant, call.origin)
        let reply = try await call.database(pool).transaction { db in
            let transfer = try openTransfer(try await db.run(TeamTransfer.find(id, of: tenant)), at: now)
            let (retried, touched) = try await db.run(
                """
                UPDATE team_transfer_user SET state = CASE WHEN transfer_sub IS NULL THEN 'pending' ELSE 'collected' END, reason = NULL,
                    updated_at = \(now)
                WHERE tenant_id = \(tenant) AND transfer_id = \(id) AND state = 'failed'
                """,
                transfer.touch(of: tenant, at: now))
            try requireOpen(touched)
            let reply = try await self.reply(id, of: tenant, in: db, at: now)
            _ = try await db.run(
                try AuditEvent.insert(
                    "retryTransfer", of: id.description, owner: tenant.uuid, by: origin, after: Retried(users: retried.affected), at: now))
            return reply
        }
        return try .json(reply)
    }
}
