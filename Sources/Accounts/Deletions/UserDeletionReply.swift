import Access
import Foundation
import Postgres
import Users
import Web

/// A deletion record in the REST API.
struct UserDeletionReply: Encodable, Sendable {
    let id: ID<UserDeletion>
    let object = "user_deletion"
    let user_id: ID<User>
    let requester: UserDeletion.Requester
    /// The ID of an application or of an API key.
    let requested_by: String
    let status: UserDeletion.Status
    let requested_at: Date
    let finished_at: Date?
    /// One grant per identity of the user.
    private(set) var apple: [Grant]
    let created_at, updated_at: Date

    struct Grant: Encodable, Sendable {
        let team_id, client_id: String
        let status: AppleRevocation.Status
        let reason: AppleRevocation.Reason?
        let attempts: Int
        let last_tried_at: Date?
        /// When Apple confirmed it.
        let revoked_at: Date?
    }

    /// The record of a new deletion.
    init(_ wanted: UserDeletion.Request, _ revocations: [AppleRevocation], at now: Date) {
        let isPending = revocations.contains { $0.status == .pending }
        (id, user_id) = (ID(at: now), wanted.user)
        (requester, requested_by) = (wanted.requester, wanted.origin.actor)
        (status, requested_at, finished_at) = (isPending ? .pending : .finished, now, isPending ? nil : now)
        (created_at, updated_at) = (now, now)
        apple = revocations.map {
            Grant(
                team_id: $0.teamID, client_id: $0.clientID, status: $0.status, reason: $0.reason, attempts: 0, last_tried_at: nil,
                revoked_at: nil)
        }
    }

    private init(_ row: Row) throws {
        id = try row.get("id")
        user_id = try row.get("user_id")
        requester = try row.get("requester")
        requested_by = try row.get("requested_by")
        requested_at = try row.get("requested_at")
        finished_at = try row.get("finished_at")
        status = finished_at == nil ? .pending : .finished
        (created_at, updated_at) = (requested_at, try row.get("updated_at"))
        apple = []
    }

    /// Groups rows by deletion. Each row is one grant, and the rows of a deletion are adjacent.
    static func all(_ rows: Rows) throws -> [UserDeletionReply] {
        var deletions: [UserDeletionReply] = []
        for row in rows {
            let deletion = try UserDeletionReply(row)
            if deletions.last?.id != deletion.id { deletions.append(deletion) }
            if let grant = try Grant(row) { deletions[deletions.count - 1].apple.append(grant) }
        }
        return deletions
    }
}

extension UserDeletionReply.Grant {
    /// Nil if the user had no grant.
    fileprivate init?(_ row: Row) throws {
        guard let team = try row.get("team_id", as: String?.self) else { return nil }
        (team_id, client_id) = (team, try row.get("client_id"))
        status = try row.get("status")
        reason = try row.get("reason")
        attempts = try row.get("attempts")
        last_tried_at = try row.get("last_tried_at")
        revoked_at = status == .revoked ? try row.get("concluded_at") : nil
    }
}

// MARK: SQL

extension UserDeletionReply {
    func insert(into tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO user_deletion (tenant_id, id, user_id, requester, requested_by, requested_at, finished_at, updated_at)
        VALUES (\(tenant), \(id), \(user_id), \(requester), \(requested_by), \(requested_at), \(finished_at), \(updated_at))
        """
    }

    static func find(_ id: ID<UserDeletion>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT d.id, d.user_id, d.requester, d.requested_by, d.requested_at, d.finished_at, d.updated_at,
            r.team_id, r.client_id, r.status, r.reason, r.attempts, r.last_tried_at, r.concluded_at
        FROM user_deletion d LEFT JOIN apple_revocation r ON r.tenant_id = d.tenant_id AND r.deletion_id = d.id
        WHERE d.tenant_id = \(tenant) AND d.id = \(id) ORDER BY r.id
        """
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>, user: ID<User>?, status: UserDeletion.Status?) -> SQL {
        let status = status?.rawValue
        guard let user else {
            return """
                WITH found AS (
                    SELECT tenant_id, id, user_id, requester, requested_by, requested_at, finished_at, updated_at FROM user_deletion
                    WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
                        AND (\(status) IS NULL OR \(status) = CASE WHEN finished_at IS NULL THEN 'pending' ELSE 'finished' END)
                    ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched))
                SELECT d.id, d.user_id, d.requester, d.requested_by, d.requested_at, d.finished_at, d.updated_at,
                    r.team_id, r.client_id, r.status, r.reason, r.attempts, r.last_tried_at, r.concluded_at
                FROM found d LEFT JOIN apple_revocation r ON r.tenant_id = d.tenant_id AND r.deletion_id = d.id
                ORDER BY CASE WHEN \(page.isBackward) THEN d.id END ASC, d.id DESC, r.id
                """
        }
        // This query uses the user's index, because a user has at most one deletion.
        return """
            SELECT d.id, d.user_id, d.requester, d.requested_by, d.requested_at, d.finished_at, d.updated_at,
                r.team_id, r.client_id, r.status, r.reason, r.attempts, r.last_tried_at, r.concluded_at
            FROM user_deletion d LEFT JOIN apple_revocation r ON r.tenant_id = d.tenant_id AND r.deletion_id = d.id
            WHERE d.tenant_id = \(tenant) AND d.user_id = \(user) AND d.id < \(page.upper) AND d.id > \(page.lower)
                AND (\(status) IS NULL OR \(status) = CASE WHEN d.finished_at IS NULL THEN 'pending' ELSE 'finished' END)
            ORDER BY r.id
            """
    }
}
