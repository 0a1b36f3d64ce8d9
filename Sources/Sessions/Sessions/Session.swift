import Access
import Delivery
import Foundation
import Postgres
import Tenancy
import Users

/// A continuing login on one device. Its id is the id of the login it began with.
package struct Session: Identified, Sendable {
    package static let idPrefix = "session"

    package enum EndReason: String, Encodable, SQLValue {
        /// Its authorization code was redeemed a second time.
        case codeReplayed = "code_replayed"
        /// A refresh token that was used up long ago was used again.
        case refreshTokenReused = "refresh_token_reused"
        /// By somebody who runs the tenant.
        case revoked
        /// With its user.
        case userDeleted = "user_deleted"
        /// By the user, at the application.
        case logout
        /// By the application, which revoked a token of it.
        case tokenRevoked = "token_revoked"
        /// By the user, at Apple.
        case consentRevoked = "consent_revoked"
        /// With the user's Apple account.
        case accountDeleted = "account_deleted"
    }

    let user: ID<User>
    let scope: String
    let generation: Int
    let refreshedAt: Date
    let expiresAt: Date
    let endedAt: Date?
    /// When Apple authenticated the user. Nil for a session of an older version.
    let authenticatedAt: Date?

    init(_ row: Row) throws {
        user = try row.get("user_id")
        scope = try row.get("scope")
        generation = try row.get("refresh_generation")
        refreshedAt = try row.get("refreshed_at")
        expiresAt = try row.get("expires_at")
        endedAt = try row.get("ended_at")
        authenticatedAt = try row.get("authenticated_at")
    }

    /// Begins the session of a login, and answers its user; nothing where the user is gone, or lost its tokens since the login was
    /// admitted. Refused by the schema (`session_pkey`) when the login has begun its session before.
    ///
    /// The user is held: who ends its tokens at this moment either comes first and is seen, or waits and finds the session.
    static func begin(_ login: CompletedLogin, of tenant: Tenant, application: Application, at now: Date) -> SQL {
        """
        WITH admitted AS (
            SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled FROM tenant_user
            WHERE tenant_id = \(tenant.id) AND id = \(login.user) AND deleted_at IS NULL
                AND (tokens_valid_after IS NULL OR tokens_valid_after < \(login.admittedAt))
                AND NOT EXISTS (SELECT FROM tenant WHERE id = \(tenant.id) AND tokens_valid_after >= \(login.admittedAt))
            FOR SHARE OF tenant_user),
        begun AS (
            INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at, user_agent, address,
                authenticated_at)
            SELECT \(tenant.id), \(login.login), \(application.id), id, \(login.scope), \(now),
                \(now.addingTimeInterval(TimeInterval(application.sessionSeconds))), \(now), \(login.device.userAgent),
                \(login.device.address), \(login.authenticatedAt)
            FROM admitted)
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled FROM admitted
        """
    }

    /// Uses up one generation of the session's refresh token. No row where that was not the one to use, or where more scope
    /// is asked for than was granted: a refusal must not cost the token. Nor where the user, or everybody, was signed out since it
    /// began: a session that a limit had ended by then was left as it was, and lasts again when the limit is lifted.
    static func refresh(
        _ id: ID<Session>, of tenant: Tenant, application: Application, generation: Int, scope: [String], at now: Date
    ) -> SQL {
        """
        UPDATE session SET refresh_generation = refresh_generation + 1, refreshed_at = \(now)
        WHERE tenant_id = \(tenant.id) AND id = \(id) AND application_id = \(application.id) AND refresh_generation = \(generation)
            AND ended_at IS NULL AND expires_at > \(now)
            AND refreshed_at > \(now.addingTimeInterval(-TimeInterval(application.idleSeconds)))
            AND string_to_array(scope, ' ') @> \(scope)
            AND EXISTS (SELECT FROM tenant_user u JOIN tenant t ON t.id = u.tenant_id
                WHERE u.tenant_id = \(tenant.id) AND u.id = session.user_id AND u.deleted_at IS NULL
                    AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < session.created_at)
                    AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < session.created_at)
                    -- As the tenant says now: what this process knows of its limits may be a moment old.
                    AND COALESCE(session.created_at + make_interval(secs => t.session_seconds) > \(now), true)
                    AND COALESCE(session.refreshed_at + make_interval(secs => t.idle_seconds) > \(now), true))
        RETURNING user_id, scope, refresh_generation, refreshed_at, expires_at, ended_at, authenticated_at
        """
    }

    /// One whose user is there, and was not signed out since it began.
    static func find(_ id: ID<Session>, of tenant: ID<Tenant>, application: ID<Application>) -> SQL {
        """
        SELECT s.user_id, s.scope, s.refresh_generation, s.refreshed_at, s.ends_at AS expires_at, s.ended_at,
            s.authenticated_at
        FROM session_life s JOIN tenant_user u ON u.tenant_id = s.tenant_id AND u.id = s.user_id JOIN tenant t ON t.id = s.tenant_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(id) AND s.application_id = \(application) AND u.deleted_at IS NULL
            AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < s.created_at)
            AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < s.created_at)
        """
    }

    /// Ends an application's session, with its line in the audit trail and its event for webhooks. Nothing where it has ended,
    /// never was or is another application's: neither is a stranger's to fill. One that has expired ends too, since its last access
    /// tokens outlive it.
    static func end(
        _ id: ID<Session>, of tenant: ID<Tenant>, because reason: EndReason, actor: ID<Application>, at now: Date
    ) -> SQL {
        """
        WITH ended AS (
            UPDATE session SET ended_at = GREATEST(\(now), refreshed_at), ended_reason = \(reason)
            WHERE tenant_id = \(tenant) AND id = \(id) AND application_id = \(actor) AND ended_at IS NULL
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
