import Access
import Apple
import Foundation
import Hummingbird
import Postgres
import Web

private struct Collected: Encodable {
    let collected, failed: Int
}

extension TransferRoutes {
    /// Fetches the transfer identifiers of the next users. Apple's responses are stored at the end of the batch. An interrupted batch
    /// stores none, and the next one asks again with the same result.
    @Sendable
    func collectTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let id = try transfer(inPathOf: call)
        let limit = try await batchLimit(request)
        let now = now()
        let (tenant, origin, database) = (call.tenant, call.origin, call.database(pool))
        let transfer = try openTransfer(try await database.run(TeamTransfer.find(id, of: tenant)), at: now)
        let credentials = try await credentials(ofTeam: transfer.fromTeam, in: transfer, of: call, at: now)

        let pending = TransferUser.nextPending(limit, in: transfer, of: tenant)
        var users = try await database.run(pending).map(TransferUser.init)
        if users.count < limit {
            let (_, enlisted) = try await database.run(TransferUser.enlist(in: transfer, of: tenant, at: now), pending)
            users = try enlisted.map(TransferUser.init)
        }
        guard !users.isEmpty else { return try .json(TransferBatchReply(finished: true)) }

        let token = try await migrationToken(credentials, at: now)
        let answers = await TransferAnswers(users) { [apple] user throws(UserMigrationError) in
            try await apple.transferSubject(of: user.asked, to: transfer.toTeam, token, credentials, at: now)
        }
        let isProven: Bool? = try await database.run(TransferUser.any([.collected, .moved], in: transfer, of: tenant))
            .first { try $0.get("found") }
        try answers.requireSense(isProven ?? false, transfer, transfer.fromTeam)

        let (asked, ids, subjects) = (users.map(\.id), answers.answered.map(\.user.id), answers.answered.map(\.answer))
        let identities = answers.answered.map(\.user.asked)
        if !(answers.answered.isEmpty && answers.refused.isEmpty) {
            let audit = try AuditEvent.insert(
                "collectTransfer", of: id.description, owner: tenant.uuid, by: origin,
                after: Collected(collected: ids.count, failed: answers.refused.count), at: now)
            try await database.transaction { db in
                let (_, touched) = try await db.run(
                    // The order prevents a deadlock. Two batches at once have the same users.
                    """
                    SELECT FROM team_transfer_user WHERE tenant_id = \(tenant) AND transfer_id = \(id) AND user_id = ANY(\(asked))
                    ORDER BY user_id FOR UPDATE
                    """,
                    transfer.touch(of: tenant, at: now))
                // An identifier that was already deleted must not be stored again.
                try requireOpen(touched)
                _ = try await db.run([
                    """
                    UPDATE team_transfer_user r SET state = 'collected', transfer_sub = a.transfer_sub, apple_sub = a.apple_sub,
                        updated_at = \(now)
                    FROM unnest(\(ids), \(subjects), \(identities)) AS a (user_id, transfer_sub, apple_sub)
                    -- An identity that was removed during the call to Apple is not collected.
                    JOIN identity i ON i.tenant_id = \(tenant) AND i.team_id = \(transfer.fromTeam) AND i.apple_sub = a.apple_sub
                        AND i.user_id = a.user_id
                    WHERE r.tenant_id = \(tenant) AND r.transfer_id = \(id) AND r.user_id = a.user_id AND r.state = 'pending'
                    """,
                    TransferUser.refuse(answers.refused, in: transfer, of: tenant, at: now),
                    audit,
                ])
            }
        }
        return try .json(
            TransferBatchReply(
                done: ids.count, failed: answers.refused.count, put_off: answers.putOff,
                finished: users.count < limit && answers.putOff == 0, retry_after: answers.retryAfter))
    }
}
