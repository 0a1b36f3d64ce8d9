import Access
import Apple
import Foundation
import Postgres
import Tenancy

extension Identity {
    /// Links a first sign-in under this team to the user whose transfer identifier is in the id_token, while a transfer to the team is
    /// open. The exchange may not have reached the user yet. This runs before `save`, in its transaction, and before `relink`, because
    /// Apple itself identifies the user. It is nil, and costs the database nothing, for a token without such an identifier.
    ///
    /// The user's profile does not change. The audit event is `moveUser`, with the application of the sign-in as its actor.
    static func move(
        _ token: IDToken, tenant: ID<Tenant>, application: ID<Application>, connection: Connection, at now: Date
    ) -> SQL? {
        guard let transferred = transferred(token, of: tenant, connection: connection, at: now) else { return nil }
        let team = connection.teamID
        return """
            WITH candidate AS (
                SELECT r.transfer_id, u.id \(part: transferred)
                -- The locks wait for a concurrent deletion or move, and check again. They do not block other sign-ins of the user,
                -- which already hold its identity. `save` locks that first.
                FOR KEY SHARE OF u FOR UPDATE OF r),
            moved AS (
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, apple_client_id, created_at, last_login_at)
                SELECT \(tenant), \(team), \(token.subject), id, \(token.audience), \(now), \(now) FROM candidate
                ON CONFLICT DO NOTHING
                RETURNING user_id),
            noted AS (
                UPDATE team_transfer_user r SET state = 'moved', moved_by = 'login', reason = NULL, updated_at = \(now)
                FROM moved JOIN candidate ON candidate.id = moved.user_id
                WHERE r.tenant_id = \(tenant) AND r.transfer_id = candidate.transfer_id AND r.user_id = moved.user_id
                RETURNING r.transfer_id)
            -- The first user who moves starts the 60 days. The others write nothing, so that they do not wait for one another.
            UPDATE team_transfer t SET closes_at = \(now + TeamTransfer.window),
                updated_at = GREATEST(\(now), t.updated_at + interval '1 microsecond')
            FROM noted WHERE t.tenant_id = \(tenant) AND t.id = noted.transfer_id AND t.closes_at IS NULL
            """
    }

    /// The end of a statement that reads the row `r` of an open transfer `t` that has the id_token's transfer identifier, and its user
    /// `u`, for an unknown identity. Nil for a token without such an identifier.
    static func transferred(_ token: IDToken, of tenant: ID<Tenant>, connection: Connection, at now: Date) -> SQL? {
        guard let transferSubject = token.transferSubject else { return nil }
        let team = connection.teamID
        return """
            FROM team_transfer t
            JOIN team_transfer_user r ON r.tenant_id = t.tenant_id AND r.transfer_id = t.id AND r.transfer_sub = \(transferSubject)
            JOIN tenant_user u ON u.tenant_id = r.tenant_id AND u.id = r.user_id AND u.deleted_at IS NULL
            WHERE t.tenant_id = \(tenant) AND t.to_team_id = \(team) AND t.closed_at IS NULL
                AND (t.closes_at IS NULL OR t.closes_at > \(now)) AND r.state <> 'moved'
                AND NOT EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = \(tenant) AND i.team_id = \(team) AND i.apple_sub = \(token.subject))
            """
    }

    /// The audit event of a user that `move` has moved. It runs after `save`. A concurrent change of the user locks the user while it waits
    /// for its turn in the audit trail, and `save` waits for the user. A repetition has no second effect.
    static func auditMove(
        _ token: IDToken, tenant: ID<Tenant>, application: ID<Application>, connection: Connection, at now: Date
    ) -> SQL? {
        guard let transferSubject = token.transferSubject else { return nil }
        let team = connection.teamID
        return AuditEvent.insertion(
            "moveUser", owner: tenant.uuid, actor: application.description, subject: "public_id('user', r.user_id)",
            before: "jsonb_build_object('team_ids', teams.names)",
            after: """
                jsonb_build_object('team_ids', teams.names || to_jsonb(\(team)), 'transfer_id', public_id('transfer', r.transfer_id))
                """,
            source: """
                FROM team_transfer_user r
                JOIN identity n ON n.tenant_id = r.tenant_id AND n.user_id = r.user_id AND n.team_id = \(team)
                    AND n.apple_sub = \(token.subject) AND n.created_at = \(now)
                CROSS JOIN LATERAL (
                    SELECT jsonb_agg(i.team_id ORDER BY i.created_at) AS names FROM identity i
                    WHERE i.tenant_id = \(tenant) AND i.user_id = r.user_id AND i.team_id <> \(team)) AS teams
                WHERE r.tenant_id = \(tenant) AND r.transfer_sub = \(transferSubject) AND r.moved_by = 'login' AND r.updated_at = \(now)
                ON CONFLICT DO NOTHING
                """, at: now)
    }
}
