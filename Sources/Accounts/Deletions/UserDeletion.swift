import Access
import Delivery
import Foundation
import Postgres
import Sessions
import Users
import Web

/// The record of a user's deletion: the requester, and the result at Apple. It outlives the user and does not identify the person.
package struct UserDeletion: Identified, Sendable {
    package static let idPrefix = "deletion"

    enum Requester: String, Codable, SQLValue {
        /// The user, through the application that has the access token.
        case user
        /// A person or program that runs the tenant, with an API key.
        case api
    }

    enum Status: String, Codable, CaseIterable {
        /// Apple has not confirmed every revocation yet.
        case pending
        case finished
    }

    /// A request to delete a user.
    struct Request: Sendable {
        let user: ID<User>
        let tenant: ID<Tenant>
        let requester: Requester
        let origin: AuditEvent.Origin
        /// The `operationId` of the request.
        let action: String
    }
}

/// The deleted user in the audit trail, without any data that identifies the person.
private struct AuditedUser: Encodable {
    let id: ID<User>
    let object = "user"
    let team_ids: [String]
    let sessions: Int
    let created_at, updated_at: Date
}

private struct Deleted: Encodable {
    let user_id: ID<User>
}

extension UserRoutes {
    /// Deletes a user with its profile, identities and sessions. Only usage events and the deletion record remain. Both contain only the
    /// user's ID. Existing tokens and codes stop working. A person who signs in again becomes a new user.
    ///
    /// The outbox entry that this writes notifies Apple after the commit. So a deletion neither waits for Apple nor fails with it.
    ///
    /// - Parameters:
    ///   - db: a transaction that ends after this call.
    ///   - admit: checks the user, which no other transaction changes at the same time; throws to prevent the deletion.
    /// - Returns: nil if the user does not exist.
    func delete(
        _ wanted: UserDeletion.Request, at now: Date, in db: Transaction, admit: (UserReply) async throws -> Void
    ) async throws -> UserDeletionReply? {
        let (user, tenant) = (wanted.user, wanted.tenant)
        // The identities are locked first, as in a sign-in. Otherwise both could wait for each other.
        let (_, _, locked, grants) = try await db.run(
            Identity.lockSet(of: user), Identity.lockAll(of: user, tenant),
            UserReply.lock(user, of: tenant),
            // This reads identities that were added in between. No more can be added now.
            Identity.grants(of: user, tenant, logins: Session.logins(of: user, tenant)))
        guard let known = try locked.first(UserReply.init) else { return nil }
        try await admit(known)
        // This comes before the rows are deleted, so that all recipients are notified that the sessions ended.
        let ended = try await Session.endAll(of: user, tenant, because: .userDeleted, by: wanted.origin, at: now, in: db)
        let audited = AuditedUser(
            id: user, team_ids: try grants.map { try $0.get("team_id") }, sessions: ended.count, created_at: known.created_at,
            updated_at: known.updated_at)
        let revocations = try grants.map { try AppleRevocation(ofIdentity: $0, of: tenant, keyring: keyring, at: now) }
        let deletion = UserDeletionReply(wanted, revocations, at: now)
        _ = try await db.run(
            [
                Session.deleteAll(of: user, tenant),
                // This also deletes its identities.
                User.delete(user, of: tenant),
                deletion.insert(into: tenant),
            ] + revocations.flatMap { $0.insert(deletion.id, of: tenant, at: now) } + [
                try WebhookEvent.emit(.userDeleted, data: Deleted(user_id: user), owner: tenant.uuid, by: wanted.origin, at: now),
                // The audit event comes last, as everywhere. A change of a webhook locks the webhook while it waits for its turn in the
                // audit trail.
                try AuditEvent.insert(
                    wanted.action, of: user.description, owner: tenant.uuid, by: wanted.origin, before: audited, after: deletion, at: now),
            ])
        return deletion
    }
}
