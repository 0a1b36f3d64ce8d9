import Access
import Foundation
import Postgres
import Sealing
import Users

extension RevokeAtApple {
    /// The next step for a grant, after a check for other users who need it.
    enum Need {
        /// The grant stays valid and this is recorded, or another process was faster.
        case done
        /// The grant is needed by a user who cannot take it over. Espalier checks again later.
        case parked(AppleRevocation.Reason)
        /// No other user needs the grant.
        case notNeeded
    }

    /// An identity that signs in with the same consent: the person as a new user, or the person at another tenant.
    private struct Other {
        let tenant: ID<Tenant>
        /// Whether the identity has a refresh token, so that it can end the consent.
        let hasToken: Bool
        /// Whether the identity could revoke the existing token.
        let canTakeOver: Bool

        init(_ row: Row) throws {
            tenant = try row.get("tenant_id")
            hasToken = try row.get("has_token")
            canTakeOver = try row.get("can_take_over")
        }

        /// Finds and locks all such identities until the transaction ends. A concurrent deletion of one either finishes first, so the
        /// identity is gone, or waits and then finds the token. The order prevents a deadlock between two deletions. A deleted tenant
        /// counts while it can be restored.
        ///
        /// An identity can take the token over if its tenant or the platform has a key that Apple accepts for the token's client. A Team ID
        /// alone is not enough, because anybody can claim one. For a bundle ID of the shared connection, the person must also have signed
        /// in there with exactly that application. The deletion record names the client. It must not reveal the application in which
        /// another tenant knows the person.
        static func find(_ subject: String, of pending: AppleRevocation.Pending, owner: UUID, at now: Date) -> SQL {
            Identity.sharing(subject, team: pending.teamID, client: pending.clientID, owner: owner, at: now)
        }
    }

    /// Leaves a grant valid that other identities need. Identities without a token receive this one, sealed for their own row, because
    /// Apple gives none to native applications that send no code. Otherwise the consent would outlast the last identity. A later sign-in
    /// that brings a token replaces it.
    ///
    /// If no identity has a token and none can take this one over, the revocation waits until that changes or none is left.
    func handOverIfNeeded(
        _ grant: AppleRevocation.Grant, of pending: AppleRevocation.Pending, owner: UUID, at now: Date
    ) async throws -> Need {
        // A consent spans tenants.
        try await database.transaction { db in
            let (sharing, _, pendingRevocation) = try await db.run(
                Other.find(grant.subject, of: pending, owner: owner, at: now), Self.lock(pending, owner: owner),
                AppleRevocation.Pending.find(pending.id, owner: owner))
            // Another process may have revoked the grant since then. Its token is worthless in that case.
            guard !pendingRevocation.isEmpty else { return .done }
            let others = try sharing.map(Other.init)
            guard !others.isEmpty else { return .notNeeded }
            let reason: AppleRevocation.Reason = others.contains { $0.tenant.uuid == owner } ? .signedUpAgain : .usedElsewhere
            let heirs = others.filter { !$0.hasToken && $0.canTakeOver }
            guard !heirs.isEmpty || others.contains(where: \.hasToken) else { return .parked(reason) }
            _ = try await db.run(heirs.map { heir in handOver(grant, of: pending, to: heir.tenant) })
            try await conclude(pending, .stillNeeded, reason, asked: false, owner: owner, in: db, at: now)
            return .done
        }
    }

    private func handOver(_ grant: AppleRevocation.Grant, of pending: AppleRevocation.Pending, to tenant: ID<Tenant>) -> SQL {
        let sealed = keyring.seal(
            Array(grant.refreshToken.utf8), in: Identity.context(tenant, team: pending.teamID, subject: grant.subject))
        return Identity.setRefreshToken(sealed.bytes, client: pending.clientID, tenant, team: pending.teamID, subject: grant.subject)
    }
}
