import Access
import Delivery
import Foundation
import Postgres
import Sessions
import Users
import Web

/// That a user was deleted, at whose wish, and what became of it at Apple. It outlives the user, and says nothing of who it was.
package struct UserDeletion: Identified, Sendable {
    package static let idPrefix = "deletion"

    enum Requester: String, Codable, SQLValue {
        /// The person, by the application that holds their token.
        case user
        /// Somebody who runs the tenant, by an API key.
        case api
    }

    enum Status: String, Codable, CaseIterable {
        /// Apple has still to confirm something.
        case pending
        case finished
    }

    /// Who wants whom deleted.
    struct Request: Sendable {
        let user: ID<User>
        let tenant: ID<Tenant>
        let requester: Requester
        let origin: AuditEvent.Origin
        /// The `operationId`.
        let action: String
    }
}

/// What the audit trail keeps of a user that is gone: nothing that says who it was.
private struct Gone: Encodable {
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
    /// Deletes a user with its profile, its identities and its sessions. What remains are usage events and the record of this, which
    /// hold its id alone. Tokens and codes that are still about get nothing any more; who signs in again becomes a new user.
    ///
    /// Apple is told after the commit, by what is written here into the outbox: a deletion neither waits for Apple nor fails with it.
    ///
    /// - Parameters:
    ///   - db: a transaction that ends with this.
    ///   - admit: looks at the user, whom nobody else changes meanwhile; throws where it shall not be deleted.
    /// - Returns: nil where there is no such user.
    func delete(
        _ wanted: UserDeletion.Request, at now: Date, in db: Transaction, admit: (UserReply) async throws -> Void
    ) async throws -> UserDeletionReply? {
        let (user, tenant) = (wanted.user, wanted.tenant)
        // The identities first, as a sign-in takes them: else each could wait for the other.
        let found = try await db.run([
            """
            SELECT FROM identity WHERE tenant_id = \(tenant) AND user_id = \(user) ORDER BY team_id, apple_sub FOR UPDATE
            """,
            UserReply.lock(user, of: tenant),
            // Once more, for one that was added in between: from here on there can be none.
            """
            SELECT i.team_id, i.apple_sub, i.apple_client_id, i.sealed_refresh_token, i.revoked_at IS NOT NULL AS is_ended,
                -- With an app that Apple has transferred, as somebody's move has shown; unless the user has come back since, or it is
                -- another app of that team that was consented to: Apple is asked then, and refuses if it went along.
                EXISTS (SELECT FROM team_transfer_user r
                    JOIN team_transfer t ON t.tenant_id = r.tenant_id AND t.id = r.transfer_id AND t.from_team_id = i.team_id
                    WHERE r.tenant_id = \(tenant) AND r.user_id = \(user) AND r.state = 'moved' AND r.updated_at >= i.last_login_at
                        AND t.services_id = i.apple_client_id AND t.closes_at IS NOT NULL) AS has_moved
            FROM identity i WHERE i.tenant_id = \(tenant) AND i.user_id = \(user) ORDER BY i.team_id, i.apple_sub FOR UPDATE
            """,
        ])
        guard let known = try found[1].first(UserReply.init) else { return nil }
        try await admit(known)
        // Before their rows go: whoever has to hear of it hears that they ended.
        let ended = try await Session.endAll(of: user, tenant, because: .userDeleted, at: now, in: db)
        let gone = Gone(
            id: user, team_ids: try found[2].map { try $0.get("team_id") }, sessions: ended.count, created_at: known.created_at,
            updated_at: known.updated_at)
        let revocations = try found[2].map { try AppleRevocation(ofIdentity: $0, of: tenant, keyring: keyring, at: now) }
        let deletion = UserDeletionReply(wanted, revocations, at: now)
        _ = try await db.run(
            [
                // In their order, as whoever revokes them takes them.
                """
                WITH own AS (SELECT id FROM session WHERE tenant_id = \(tenant) AND user_id = \(user) ORDER BY id FOR UPDATE)
                DELETE FROM session s USING own WHERE s.tenant_id = \(tenant) AND s.id = own.id
                """,
                // Its identities go with it.
                "DELETE FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(user)",
                deletion.insert(into: tenant),
            ] + revocations.flatMap { $0.insert(deletion.id, of: tenant, at: now) } + [
                try WebhookEvent.emit(.userDeleted, data: Deleted(user_id: user), owner: tenant.uuid, at: now),
                // Last, as everywhere: who changes a webhook holds it while it waits for its turn in the audit trail.
                try AuditEvent.insert(
                    wanted.action, of: user.description, owner: tenant.uuid, by: wanted.origin, before: gone, after: deletion, at: now),
            ])
        return deletion
    }
}
