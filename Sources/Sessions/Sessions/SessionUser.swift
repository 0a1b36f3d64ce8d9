package import Access
package import Foundation
package import Postgres
import Tenancy
package import Users

extension User {
    /// The user of an active session.
    package static func find(ofSession session: ID<Session>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled
        FROM session_life s JOIN (\(part: User.live)) AS u ON u.tenant_id = s.tenant_id AND u.id = s.user_id JOIN (\(part: Tenant.limits)) AS t ON t.id = s.tenant_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(session) AND s.ended_at IS NULL AND s.ends_at > \(now)
            AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < s.created_at)
            AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < s.created_at)
        """
    }
}

extension Session {
    /// Whether there is this session, as a condition.
    static func exists(_ id: ID<Session>, of tenant: ID<Tenant>) -> SQL {
        "EXISTS (SELECT FROM session WHERE tenant_id = \(tenant) AND id = \(id))"
    }

    /// Ends the sessions of an application that is being deleted.
    @Sendable
    package static func endAll(ofApplication id: ID<Application>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        WITH lasting AS (
            SELECT id FROM session
            WHERE tenant_id = \(tenant) AND application_id = \(id) AND ended_at IS NULL AND expires_at > \(now)
            ORDER BY id FOR UPDATE)
        UPDATE session s SET ended_at = GREATEST(\(now), refreshed_at), ended_reason = 'revoked' FROM lasting
        WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
        """
    }

    /// Deletes the sessions of a user. Locks them in order first, so that two deletions cannot deadlock.
    package static func deleteAll(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        WITH own AS (SELECT id FROM session WHERE tenant_id = \(tenant) AND user_id = \(user) ORDER BY id FOR UPDATE)
        DELETE FROM session s USING own WHERE s.tenant_id = \(tenant) AND s.id = own.id
        """
    }

    /// Selects whether there is a session of any tenant.
    package static let anyExists: SQL = "EXISTS (SELECT FROM session)"
}
