package import Access
package import Foundation
package import Postgres
package import Users

extension User {
    /// The user of an active session.
    package static func find(ofSession session: ID<Session>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled
        FROM session_life s JOIN tenant_user u ON u.tenant_id = s.tenant_id AND u.id = s.user_id JOIN tenant t ON t.id = s.tenant_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(session) AND s.ended_at IS NULL AND s.ends_at > \(now)
            AND u.deleted_at IS NULL AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < s.created_at)
            AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < s.created_at)
        """
    }
}
