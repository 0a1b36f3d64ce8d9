import Foundation
import Postgres
import Tenancy

/// A continuing login on one device. Its id is the id of the login it began with.
package struct Session: Identified, Sendable {
    package static let idPrefix = "session"

    enum EndReason: String, Encodable, SQLValue {
        /// Its authorization code was redeemed a second time.
        case codeReplayed = "code_replayed"
        /// A refresh token that was used up long ago was used again.
        case refreshTokenReused = "refresh_token_reused"
        /// By somebody who runs the tenant.
        case revoked
        /// Told to webhooks only: the session goes with its user.
        case userDeleted = "user_deleted"
    }

    let user: ID<User>
    let scope: String
    let generation: Int
    let refreshedAt: Date
    let expiresAt: Date
    let endedAt: Date?

    init(_ row: Row) throws {
        user = try row.get("user_id")
        scope = try row.get("scope")
        generation = try row.get("refresh_generation")
        refreshedAt = try row.get("refreshed_at")
        expiresAt = try row.get("expires_at")
        endedAt = try row.get("ended_at")
    }

    /// Refused by the schema (`session_pkey`) when the login's code was redeemed before, and by its
    /// foreign key when the user is gone.
    /// - Parameter seconds: how long the application lets it last at the most.
    static func insert(_ code: AuthorizationCode, lasting seconds: Int, at now: Date) -> SQL {
        """
        INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at)
        VALUES (\(code.tenant), \(code.login), \(code.application), \(code.user), \(code.scope), \(now),
            \(now.addingTimeInterval(TimeInterval(seconds))), \(now))
        """
    }

    /// Uses up one generation of the session's refresh token. No row where that was not the one to use, or where more scope
    /// is asked for than was granted: a refusal must not cost the token.
    /// - Parameter idleSeconds: how long the application lets a session be without a refresh.
    static func refresh(
        _ id: ID<Session>, of tenant: ID<Tenant>, application: ID<Application>, idleSeconds: Int, generation: Int, scope: [String],
        at now: Date
    ) -> SQL {
        """
        UPDATE session SET refresh_generation = refresh_generation + 1, refreshed_at = \(now)
        WHERE tenant_id = \(tenant) AND id = \(id) AND application_id = \(application) AND refresh_generation = \(generation)
            AND ended_at IS NULL AND expires_at > \(now) AND refreshed_at > \(now.addingTimeInterval(-TimeInterval(idleSeconds)))
            AND string_to_array(scope, ' ') @> \(scope)
        RETURNING user_id, scope, refresh_generation, refreshed_at, expires_at, ended_at
        """
    }

    static func find(_ id: ID<Session>, of tenant: ID<Tenant>, application: ID<Application>) -> SQL {
        """
        SELECT user_id, scope, refresh_generation, refreshed_at, expires_at, ended_at FROM session
        WHERE tenant_id = \(tenant) AND id = \(id) AND application_id = \(application)
        """
    }

    /// Ends a session that lasts, with its line in the audit trail and its event for webhooks. Nothing where it has ended or
    /// never was: neither is a stranger's to fill.
    static func end(
        _ id: ID<Session>, of tenant: ID<Tenant>, because reason: EndReason, actor: ID<Application>, at now: Date
    ) -> SQL {
        """
        WITH ended AS (
            UPDATE session SET ended_at = \(now), ended_reason = \(reason)
            WHERE tenant_id = \(tenant) AND id = \(id) AND ended_at IS NULL
            RETURNING tenant_id, user_id),
        audited AS (
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject)
            SELECT tenant_id, \(ID<AuditEvent>(at: now)), \(now), \(actor.description), \("session.\(reason.rawValue)"),
                \(id.description)
            FROM ended)
        SELECT emit_webhook_event(tenant_id, \(ID<WebhookEvent>(at: now)), \(WebhookEvent.Kind.sessionRevoked), \(now),
            jsonb_build_object('reason', \(reason), 'revoked', 1, 'session_ids', jsonb_build_array(\(id.description)),
                'user_id', public_id('user', user_id)))
        FROM ended
        """
    }
}
