import Foundation
import Postgres
import Tenancy
import Web

/// A session as the REST API shows it.
struct SessionReply: Encodable, Sendable {
    enum Status: String, Encodable, CaseIterable {
        case active
        /// Before its time: revoked, or because of a misuse.
        case ended
        /// By its time, or because it was not used for too long.
        case expired
    }

    let id: ID<Session>
    let object = "session"
    let user_id: ID<User>
    let application_id: ID<Application>
    let scope: String
    private(set) var status: Status
    private(set) var ended_reason: Session.EndReason?
    private(set) var ended_at: Date?
    /// When it ends unless it is used before; the next use may put it off.
    let expires_at: Date
    let created_at, last_used_at: Date
    private(set) var updated_at: Date

    init(_ row: Row, at now: Date) throws {
        id = try row.get("id")
        user_id = try row.get("user_id")
        application_id = try row.get("application_id")
        scope = try row.get("scope")
        ended_reason = try row.get("ended_reason")
        ended_at = try row.get("ended_at")
        expires_at = try row.get("expires_at")
        created_at = try row.get("created_at")
        last_used_at = try row.get("refreshed_at")
        updated_at = ended_at ?? last_used_at
        status = ended_at != nil ? .ended : now < expires_at ? .active : .expired
    }

    /// The same after its revocation.
    func revoked(at now: Date) -> SessionReply {
        var revoked = self
        (revoked.status, revoked.ended_reason, revoked.ended_at, revoked.updated_at) = (.ended, .revoked, now, now)
        return revoked
    }

    static func find(_ id: ID<Session>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT s.id, s.user_id, s.application_id, s.scope, s.created_at, s.refreshed_at, s.ended_at, s.ended_reason,
            LEAST(s.expires_at, s.refreshed_at + make_interval(secs => COALESCE(a.idle_seconds, \(idle)))) AS expires_at
        FROM session s LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(id)
        """
    }

    /// The newest hundred that a user is signed in with.
    static func active(of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT s.id, s.user_id, s.application_id, s.scope, s.created_at, s.refreshed_at, s.ended_at, s.ended_reason,
            LEAST(s.expires_at, s.refreshed_at + make_interval(secs => COALESCE(a.idle_seconds, \(idle)))) AS expires_at
        FROM session s LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id
        WHERE s.tenant_id = \(tenant) AND s.user_id = \(user) AND s.ended_at IS NULL
            AND LEAST(s.expires_at, s.refreshed_at + make_interval(secs => COALESCE(a.idle_seconds, \(idle)))) > \(now)
        ORDER BY s.id DESC LIMIT 100
        """
    }

    struct Filter {
        var user: ID<User>?
        var application: ID<Application>?
        var status: Status?
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>, _ filter: Filter, at now: Date) -> SQL {
        let (application, status) = (filter.application, filter.status?.rawValue)
        guard let user = filter.user else {
            return """
                WITH found AS (
                    SELECT s.id, s.user_id, s.application_id, s.scope, s.created_at, s.refreshed_at, s.ended_at, s.ended_reason,
                        LEAST(s.expires_at, s.refreshed_at + make_interval(secs => COALESCE(a.idle_seconds, \(idle)))) AS expires_at
                    FROM session s LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id
                    WHERE s.tenant_id = \(tenant) AND s.id < \(page.upper) AND s.id > \(page.lower)
                        AND (\(application) IS NULL OR s.application_id = \(application)))
                SELECT * FROM found
                WHERE \(status) IS NULL
                    OR \(status) = CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN expires_at > \(now) THEN 'active' ELSE 'expired' END
                ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
                """
        }
        // By the user's index.
        return """
            WITH found AS (
                SELECT s.id, s.user_id, s.application_id, s.scope, s.created_at, s.refreshed_at, s.ended_at, s.ended_reason,
                    LEAST(s.expires_at, s.refreshed_at + make_interval(secs => COALESCE(a.idle_seconds, \(idle)))) AS expires_at
                FROM session s LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id
                WHERE s.tenant_id = \(tenant) AND s.user_id = \(user) AND s.id < \(page.upper) AND s.id > \(page.lower)
                    AND (\(application) IS NULL OR s.application_id = \(application)))
            SELECT * FROM found
            WHERE \(status) IS NULL
                OR \(status) = CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN expires_at > \(now) THEN 'active' ELSE 'expired' END
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
    }

    /// How long a session of an application that is gone may be unused, in seconds: what an application has by default.
    static let idle = 30 * 86400
}
