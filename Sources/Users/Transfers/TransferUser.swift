import Access
import Foundation
import Postgres
import Web

/// A user of the team that an app leaves, and the user's progress.
struct TransferUser: Sendable {
    enum State: String, Codable, CaseIterable, SQLValue {
        case pending, collected, moved, failed
    }

    enum Reason: String, Codable, SQLValue {
        /// Apple no longer knows the user, or the consent is revoked.
        case refusedByApple = "refused_by_apple"
        /// The person became another user under the new team before the transfer identifier was collected.
        case becameAnotherUser = "signed_in_anew"
        /// The user has another identity under the new team.
        case knownOtherwise = "known_otherwise"
    }

    enum Mover: String, Codable, SQLValue {
        case exchange, login
    }

    let id: ID<User>
    /// The value to send to Apple: the old team's `sub` of a pending user, the transfer identifier of a collected one.
    let asked: String

    init(_ row: Row) throws {
        id = try row.get("user_id")
        asked = try row.get("asked")
    }

    /// A user moves with one identity under the old team. If there are several, it is the one whose sign-in was saved last, and one with a
    /// consent that Apple vouched for comes first. Apple refuses the others.
    static func nextPending(_ limit: Int, in transfer: TeamTransfer, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT r.user_id, i.apple_sub AS asked FROM team_transfer_user r CROSS JOIN LATERAL (
            SELECT n.apple_sub FROM identity n
            WHERE n.tenant_id = r.tenant_id AND n.user_id = r.user_id AND n.team_id = \(transfer.fromTeam)
            ORDER BY n.is_asserted, n.revoked_at IS NOT NULL, n.last_login_at DESC, n.apple_sub LIMIT 1) AS i
        WHERE r.tenant_id = \(tenant) AND r.transfer_id = \(transfer.id) AND r.state = 'pending' ORDER BY r.user_id LIMIT \(limit)
        """
    }

    static func nextCollected(_ limit: Int, in transfer: TeamTransfer, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT user_id, transfer_sub AS asked FROM team_transfer_user
        WHERE tenant_id = \(tenant) AND transfer_id = \(transfer.id) AND state = 'collected' ORDER BY user_id LIMIT \(limit)
        """
    }

    /// Adds rows for users that have none: all users at the beginning, new users later. It adds many at once, because it must read past all
    /// existing rows. A user with an identity under the new team has already moved, if Apple has vouched for it and no other identity under
    /// the two teams can be that of the new one. It waits for a user that is being deleted, and omits it.
    static func enlist(in transfer: TeamTransfer, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, moved_by, updated_at)
        SELECT \(tenant), \(transfer.id), c.user_id, CASE WHEN c.has_moved THEN 'moved' ELSE 'pending' END,
            CASE WHEN c.has_moved THEN 'login' END, \(now)
        FROM (
            SELECT i.user_id, (
                SELECT count(*) = 2 AND count(*) FILTER (WHERE o.team_id = i.team_id) = 1 AND NOT bool_or(o.is_asserted)
                FROM identity o WHERE o.tenant_id = i.tenant_id AND o.user_id = i.user_id
                    AND o.team_id IN (i.team_id, \(transfer.toTeam))) AS has_moved
            FROM identity i
            WHERE i.tenant_id = \(tenant) AND i.team_id = \(transfer.fromTeam) AND NOT EXISTS (
                SELECT FROM team_transfer_user r
                WHERE r.tenant_id = i.tenant_id AND r.transfer_id = \(transfer.id) AND r.user_id = i.user_id)
            ORDER BY i.user_id LIMIT 5000) AS c
        JOIN tenant_user u ON u.tenant_id = \(tenant) AND u.id = c.user_id
        ORDER BY c.user_id FOR KEY SHARE OF u
        ON CONFLICT DO NOTHING
        """
    }

    /// Marks the users as failed that Apple refused.
    static func refuse(_ users: [TransferUser], in transfer: TeamTransfer, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE team_transfer_user SET state = 'failed', reason = \(Reason.refusedByApple), updated_at = \(now)
        WHERE tenant_id = \(tenant) AND transfer_id = \(transfer.id) AND user_id = ANY(\(users.map(\.id)))
            AND state IN ('pending', 'collected')
        """
    }

    /// Whether any user has reached one of these states. This shows that Apple recognizes the transfer.
    static func any(_ states: [State], in transfer: TeamTransfer, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT EXISTS (SELECT FROM team_transfer_user WHERE tenant_id = \(tenant) AND transfer_id = \(transfer.id)
            AND state = ANY(\(states.map(\.rawValue)))) AS found
        """
    }
}

/// A user of a transfer in the REST API.
struct TransferUserReply: Encodable, Sendable {
    let object = "transfer_user"
    let user_id: ID<User>
    let state: TransferUser.State
    let reason: TransferUser.Reason?
    let moved_by: TransferUser.Mover?
    let updated_at: Date

    init(_ row: Row) throws {
        user_id = try row.get("user_id")
        state = try row.get("state")
        reason = try row.get("reason")
        moved_by = try row.get("moved_by")
        updated_at = try row.get("updated_at")
    }

    static func page(
        _ page: PageRequest, _ state: TransferUser.State?, in transfer: TeamTransfer, of tenant: ID<Tenant>
    ) -> SQL {
        """
        SELECT i.user_id, COALESCE(r.state, 'pending') AS state, r.reason, r.moved_by, COALESCE(r.updated_at, i.created_at) AS updated_at
        FROM identity i LEFT JOIN team_transfer_user r
        ON r.tenant_id = i.tenant_id AND r.transfer_id = \(transfer.id) AND r.user_id = i.user_id
        WHERE i.tenant_id = \(tenant) AND i.team_id = \(transfer.fromTeam) AND i.user_id < \(page.upper) AND i.user_id > \(page.lower)
            -- A user with several identities is one row.
            AND NOT EXISTS (SELECT FROM identity n WHERE n.tenant_id = i.tenant_id AND n.user_id = i.user_id AND n.team_id = i.team_id
                AND n.apple_sub < i.apple_sub)
            AND (\(state)::text IS NULL OR COALESCE(r.state, 'pending') = \(state))
        ORDER BY CASE WHEN \(page.isBackward) THEN i.user_id END ASC, i.user_id DESC LIMIT \(page.fetched)
        """
    }
}
