import Access
import Apple
import Foundation
import Hummingbird
import Postgres
import Web

private struct Exchanged: Encodable {
    let moved, failed: Int
}

extension TransferRoutes {
    /// Exchanges the transfer identifiers of the next users for Apple's `sub` in the new team, and stores it as an identity of each user.
    @Sendable
    func exchangeTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let id = try transfer(inPathOf: call)
        let limit = try await batchLimit(request)
        let now = now()
        let (tenant, origin, database) = (call.tenant, call.origin, call.database(pool))
        let transfer = try openTransfer(try await database.run(TeamTransfer.find(id, of: tenant)), at: now)
        let credentials = try await credentials(ofTeam: transfer.toTeam, in: transfer, of: call, at: now)

        let users = try await database.run(TransferUser.nextCollected(limit, in: transfer, of: tenant)).map(TransferUser.init)
        guard !users.isEmpty else { return try .json(TransferBatchReply(finished: true)) }

        let token = try await migrationToken(credentials, at: now)
        let answers = await TransferAnswers(users) { [apple] user throws(UserMigrationError) in
            try await apple.migratedUser(user.asked, token, credentials, at: now)
        }
        let isProven: Bool? = try await database.run(TransferUser.any([.moved], in: transfer, of: tenant))
            .first { try $0.get("found") }
        try answers.requireSense(isProven ?? false, transfer, transfer.toTeam)

        var batch = TransferBatchReply(
            put_off: answers.putOff, finished: users.count < limit && answers.putOff == 0, retry_after: answers.retryAfter)
        if !(answers.answered.isEmpty && answers.refused.isEmpty) {
            let (moved, failed) = try await database.transaction { db in
                try await hold(users, in: transfer, of: tenant, db, at: now)
                let states = try await save(answers.answered, in: transfer, of: tenant, db, at: now)
                let failed = states.count { $0 == .failed } + answers.refused.count
                if states.contains(.moved) { _ = try await db.run(transfer.begin(of: tenant, at: now)) }
                _ = try await db.run([
                    TransferUser.refuse(answers.refused, in: transfer, of: tenant, at: now),
                    try AuditEvent.insert(
                        "exchangeTransfer", of: id.description, owner: tenant.uuid, by: origin,
                        after: Exchanged(moved: states.count { $0 == .moved }, failed: failed), at: now),
                ])
                return (states.count { $0 == .moved }, failed)
            }
            (batch.done, batch.failed) = (moved, failed)
        }
        return try .json(batch)
    }

    /// Locks the users of a batch, and prevents the transfer from being closed, until the end of the transaction.
    /// - Throws: `Problem` 409.
    private func hold(
        _ batch: [TransferUser], in transfer: TeamTransfer, of tenant: ID<Tenant>, _ db: Transaction, at now: Date
    ) async throws {
        let (_, _, touched) = try await db.run(
            // This waits for users that are being changed or deleted. The order prevents a deadlock between two batches.
            "SELECT FROM tenant_user WHERE tenant_id = \(tenant) AND id = ANY(\(batch.map(\.id))) ORDER BY id FOR UPDATE",
            """
            SELECT FROM team_transfer_user WHERE tenant_id = \(tenant) AND transfer_id = \(transfer.id)
                AND user_id = ANY(\(batch.map(\.id))) ORDER BY user_id FOR UPDATE
            """,
            transfer.touch(of: tenant, at: now))
        try requireOpen(touched)
    }

    /// Adds the users' identities under the new team, next to others that a user may have there. An existing identity takes precedence.
    /// It is the user's own from a concurrent sign-in, or that of another user, which the same person has become.
    ///
    /// A relay address belongs to one team. Mail to the old address reaches nobody, so the new address replaces it at once. It comes
    /// directly from Apple in a call by Espalier, for a user who already had a relay address. So it needs no other proof.
    /// - Returns: the new state of each user.
    private func save(
        _ answered: [(user: TransferUser, answer: MigratedUser)], in transfer: TeamTransfer,
        of tenant: ID<Tenant>, _ db: Transaction, at now: Date
    ) async throws -> [TransferUser.State] {
        let (ids, subjects) = (answered.map(\.user.id), answered.map(\.answer.subject))
        // A user whose identity was removed during the call to Apple has no transfer identifier, or another one.
        let asked = answered.map(\.user.asked)
        let relayed = answered.compactMap { user, answer in answer.relayAddress.map { (user.id, $0) } }
        let (_, concluded, _) = try await db.run(
            """
            INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
            SELECT \(tenant), \(transfer.toTeam), a.apple_sub, a.user_id, \(transfer.servicesID), \(now), max(o.last_login_at)
            FROM unnest(\(ids), \(subjects), \(asked)) AS a (user_id, apple_sub, asked)
            JOIN team_transfer_user r ON r.tenant_id = \(tenant) AND r.transfer_id = \(transfer.id) AND r.user_id = a.user_id
                AND r.state = 'collected' AND r.transfer_sub = a.asked
            JOIN identity o ON o.tenant_id = \(tenant) AND o.user_id = a.user_id AND o.team_id = \(transfer.fromTeam)
            GROUP BY a.apple_sub, a.user_id
            ON CONFLICT DO NOTHING
            """,
            """
            UPDATE team_transfer_user r SET updated_at = \(now),
                state = CASE WHEN a.holder = r.user_id THEN 'moved' ELSE 'failed' END,
                moved_by = CASE WHEN a.holder = r.user_id THEN \(TransferUser.Mover.exchange) END,
                reason = CASE WHEN a.holder = r.user_id THEN NULL WHEN a.holder IS NULL THEN \(TransferUser.Reason.knownOtherwise)
                    ELSE \(TransferUser.Reason.becameAnotherUser) END
            FROM (SELECT m.user_id, m.asked, i.user_id AS holder
                FROM unnest(\(ids), \(subjects), \(asked)) AS m (user_id, apple_sub, asked)
                LEFT JOIN identity i ON i.tenant_id = \(tenant) AND i.team_id = \(transfer.toTeam) AND i.apple_sub = m.apple_sub) AS a
            WHERE r.tenant_id = \(tenant) AND r.transfer_id = \(transfer.id) AND r.user_id = a.user_id AND r.state = 'collected'
                AND r.transfer_sub = a.asked
            RETURNING r.state
            """,
            """
            UPDATE tenant_user u SET email = a.email, email_verified = true,
                updated_at = GREATEST(\(now), u.updated_at + interval '1 microsecond')
            FROM unnest(\(relayed.map(\.0)), \(relayed.map(\.1))) AS a (user_id, email)
            JOIN team_transfer_user r ON r.tenant_id = \(tenant) AND r.transfer_id = \(transfer.id) AND r.user_id = a.user_id
                AND r.state = 'moved' AND r.moved_by = 'exchange'
            WHERE u.tenant_id = \(tenant) AND u.id = a.user_id AND u.is_private_email
            """)
        return try concluded.map { try $0.get("state", as: TransferUser.State.self) }
    }
}
