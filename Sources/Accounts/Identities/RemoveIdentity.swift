import Access
import Delivery
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

/// A removed identity in the audit trail, with the revocation at Apple.
private struct AuditedRemoval: Encodable {
    let identity_id: ID<Identity>
    let team_id: String
    let sessions: Int
    let status: AppleRevocation.Status
    let reason: AppleRevocation.Reason?
    /// Nil if nobody has signed in with the identity.
    let revocation_id: ID<AppleRevocation>?
}

/// A removed identity in webhook events. If the revocation is `pending`, the audit event `revokeAtApple` has the result.
private struct RemovedIdentity: Encodable {
    let user_id: ID<User>
    let identity_id: ID<Identity>
    let team_id: String
    let status: AppleRevocation.Status
    let reason: AppleRevocation.Reason?
}

extension UserRoutes {
    /// Removes an identity from a user who has others. A person who signs in with it again becomes a new user.
    @Sendable
    func removeIdentity(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        try call.requireRecentSignIn(at: now())
        let (user, identity) = (try call.id("user", of: "user", as: User.self), try call.id("identity", of: "identity", as: Identity.self))
        let serving = try await endpoints.directory.find(call.tenant)?.connection
        let isRemoved = try await remove(
            identity, of: user, call.tenant, servedBy: serving, by: call.origin, action: "removeIdentity", at: now(),
            in: call.database(pool))
        guard isRemoved else { throw Problem.notFound("identity") }
        return .noContent
    }

    /// Removes an identity. Afterwards, the outbox revokes its consent at Apple, as for a deleted user.
    ///
    /// All sessions and codes of the user end, because a session does not record the identity that it started with, and one of the removed
    /// identity must not last. The user signs in again with another identity. An identity that only the tenant asserts has no session and
    /// no consent.
    ///
    /// - Parameters:
    ///   - connection: the one with which users of the tenant sign in.
    ///   - admit: checks the user, which no other transaction changes at the same time; throws to prevent the removal.
    /// - Returns: whether the user has the identity.
    /// - Throws: `Problem` 409 for the last identity with which the user can sign in.
    func remove(
        _ identity: ID<Identity>, of user: ID<User>, _ tenant: ID<Tenant>, servedBy connection: Connection?,
        by origin: AuditEvent.Origin, action: String, at now: Date, in database: OwnerDatabase,
        admit: @Sendable (Transaction) async throws -> Void = { _ in }
    ) async throws -> Bool {
        let removed = try await database.transaction { db in
            try await remove(identity, of: user, tenant, servedBy: connection, by: origin, action: action, at: now, in: db, admit: admit)
        }
        // A sign-in that read the identity before the end of the transaction may have started after `now`.
        if removed == .signedIn {
            try await database.transaction { db in
                _ = try await Session.endAll(of: user, tenant, because: .revoked, by: origin, at: self.now(), in: db)
            }
        }
        return removed != nil
    }

    /// A removed identity, by its proof.
    private enum Removed {
        case signedIn
        /// Only the tenant asserts it.
        case asserted
    }

    /// Removes an identity. It is nil if the user does not have it.
    private func remove(
        _ identity: ID<Identity>, of user: ID<User>, _ tenant: ID<Tenant>, servedBy connection: Connection?,
        by origin: AuditEvent.Origin, action: String, at now: Date, in db: Transaction, admit: (Transaction) async throws -> Void
    ) async throws -> Removed? {
        // The identities are locked first, as in a sign-in. Otherwise both could wait for each other.
        let (_, _, locked, grants) = try await db.run(
            Identity.lockSet(of: user), Identity.lockAll(of: user, tenant), UserReply.lock(user, of: tenant),
            Identity.grants(of: user, tenant, logins: Session.logins(of: user, tenant)))
        try await admit(db)
        guard !locked.isEmpty, let grant = try grants.first(where: { try $0.get("id", as: ID<Identity>.self) == identity })
        else { return nil }
        let others = try grants.filter { try $0.get("id", as: ID<Identity>.self) != identity }
        let isPermitted =
            try others.contains { try $0.canSignIn(through: connection) }
            || !grant.canSignIn(through: connection) && others.contains { try !$0.get("is_account_deleted", as: Bool.self) }
        guard isPermitted else {
            throw Problem(
                .conflict,
                "The user could not sign in without this identity. First, add another one and sign in with it. Or delete the user.")
        }
        let (team, subject) = (try grant.get("team_id", as: String.self), try grant.get("apple_sub", as: String.self))
        let isAsserted = try grant.get("is_asserted", as: Bool.self)
        // This comes before the row is deleted, so that all recipients are notified that the sessions ended.
        let ended = isAsserted ? [] : try await Session.endAll(of: user, tenant, because: .revoked, by: origin, at: now, in: db)
        let revocation = try AppleRevocation(ofIdentity: grant, of: tenant, keyring: keyring, at: now)
        let change = RemovedIdentity(
            user_id: user, identity_id: identity, team_id: team, status: revocation.status, reason: revocation.reason)
        let audited = AuditedRemoval(
            identity_id: identity, team_id: team, sessions: ended.count, status: revocation.status, reason: revocation.reason,
            revocation_id: isAsserted ? nil : revocation.id)
        var statements = isAsserted ? [] : [Session.forgetTeam(team, of: user, tenant)]
        statements += [Identity.delete(identity, of: user, tenant), User.touch(user, of: tenant, at: now)]
        statements += TeamTransfer.forget(subject, team: team, of: user, tenant, at: now)
        if !isAsserted { statements += revocation.insert(nil, of: tenant, at: now) }
        statements += [
            try WebhookEvent.emit(.userIdentityRemoved, data: change, owner: tenant.uuid, by: origin, at: now),
            try AuditEvent.insert(action, of: user.description, owner: tenant.uuid, by: origin, before: audited, at: now),
        ]
        _ = try await db.run(statements)
        return isAsserted ? .asserted : .signedIn
    }
}

extension Row {
    /// Whether the user of a grant can sign in with its identity: Apple has vouched for it and its Apple Account exists, under the team
    /// that serves the tenant.
    fileprivate func canSignIn(through connection: Connection?) throws -> Bool {
        try !get("is_account_deleted", as: Bool.self) && !get("is_asserted", as: Bool.self)
            && connection.map { $0.teamID.utf8.elementsEqual(try get("team_id", as: String.self).utf8) } ?? false
    }
}
