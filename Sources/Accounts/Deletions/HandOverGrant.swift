import Access
import Foundation
import Postgres
import Sealing
import Users

extension RevokeAtApple {
    /// What is to be done with a grant, after a look at who else needs it.
    enum Need {
        /// It is kept, and that is written down; or another process was faster.
        case done
        /// It is needed, by somebody who cannot take it over: to be looked at again.
        case parked(AppleRevocation.Reason)
        /// Nobody needs it.
        case notNeeded
    }

    /// Somebody who signs in by the consent: the person as a new user, or at another tenant.
    private struct Other {
        let tenant: ID<Tenant>
        /// Whether it has a refresh token, and can end the consent by itself.
        let hasToken: Bool
        /// Whether it could revoke the token that there is.
        let canTakeOver: Bool

        init(_ row: Row) throws {
            tenant = try row.get("tenant_id")
            hasToken = try row.get("has_token")
            canTakeOver = try row.get("can_take_over")
        }

        /// All of them, held until the transaction ends: who is deleted at this moment is gone by then or, if it comes second, has the
        /// token. In an order, since two deletions may look at once. A deleted tenant counts as long as it can be restored.
        ///
        /// Who can take a token over is whose tenant, or the platform, speaks for the client that it was given to, by a key that Apple
        /// accepts: anybody can say that a team is theirs. For a bundle id of the shared connection the person must have signed in
        /// there by that very program, besides: the record of a deletion names the client, and must not tell by which application the
        /// person was known to another tenant.
        static func find(_ subject: String, of pending: AppleRevocation.Pending, owner: UUID, at now: Date) -> SQL {
            """
            SELECT i.tenant_id, i.sealed_refresh_token IS NOT NULL AS has_token, EXISTS (
                SELECT FROM connection c JOIN apple_key k ON k.tenant_id = c.tenant_id AND k.connection_id = c.id
                    AND (k.state = 'current' OR k.state = 'previous' AND k.usable_until > \(now))
                WHERE c.team_id = i.team_id AND (c.services_id = \(pending.clientID) OR \(pending.clientID) = ANY(c.bundle_ids))
                    AND (c.tenant_id = i.tenant_id OR c.tenant_id = \(UUID.platform) AND (
                        c.services_id = \(pending.clientID) OR i.apple_client_id = \(pending.clientID) OR i.tenant_id = \(owner)))
            ) AS can_take_over
            FROM identity i JOIN tenant_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id
            WHERE i.team_id = \(pending.teamID) AND i.apple_sub = \(subject) AND i.revoked_at IS NULL AND u.deleted_at IS NULL
            ORDER BY i.tenant_id FOR UPDATE OF i
            """
        }
    }

    /// Keeps a grant that somebody else lives by, and gives its token, sealed for their own row, to those who have none: Apple gives
    /// none to native applications that send no code. Else the consent would outlast the last of them. Whoever gets one of their own
    /// by a later sign-in has that instead.
    ///
    /// Where nobody has a token and nobody can take this one over, the deletion waits with it until that changes or nobody is left.
    func keep(_ grant: AppleRevocation.Grant, of pending: AppleRevocation.Pending, owner: UUID, at now: Date) async throws -> Need {
        // As the platform: a consent spans tenants.
        try await PlatformDatabase(pool).transaction { db in
            let found = try await db.run([
                Other.find(grant.subject, of: pending, owner: owner, at: now), Self.lock(pending, owner: owner),
                AppleRevocation.Pending.find(pending.id, owner: owner),
            ])
            // Another process may have revoked it since: what it left is worth nothing to anybody.
            guard !found[2].isEmpty else { return .done }
            let others = try found[0].map(Other.init)
            guard !others.isEmpty else { return .notNeeded }
            let reason: AppleRevocation.Reason = others.contains { $0.tenant.uuid == owner } ? .signedUpAgain : .usedElsewhere
            let heirs = others.filter { !$0.hasToken && $0.canTakeOver }
            guard !heirs.isEmpty || others.contains(where: \.hasToken) else { return .parked(reason) }
            _ = try await db.run(heirs.map { heir in handOver(grant, of: pending, to: heir.tenant) })
            try await conclude(pending, .kept, reason, asked: false, owner: owner, in: db, at: now)
            return .done
        }
    }

    private func handOver(_ grant: AppleRevocation.Grant, of pending: AppleRevocation.Pending, to tenant: ID<Tenant>) -> SQL {
        let sealed = keyring.seal(
            Array(grant.refreshToken.utf8), in: Identity.context(tenant, team: pending.teamID, subject: grant.subject))
        return """
            UPDATE identity SET sealed_refresh_token = \(sealed.bytes), apple_client_id = \(pending.clientID)
            WHERE tenant_id = \(tenant) AND team_id = \(pending.teamID) AND apple_sub = \(grant.subject)
            """
    }
}
