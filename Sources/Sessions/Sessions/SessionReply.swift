package import Access
package import Foundation
package import Postgres
import Tenancy
package import Users
package import Web

/// A session in the REST API.
package struct SessionReply: Encodable, Sendable {
    package enum Status: String, Encodable, CaseIterable {
        case active
        /// Ended early: revoked, or because of misuse.
        case ended
        /// Ended by its time limit, or by too long without use.
        case expired
    }

    package let id: ID<Session>
    let object = "session"
    package let user_id: ID<User>
    package let application_id: ID<Application>
    /// Nil for a session of an older version that granted no scope.
    let scope: String?
    package private(set) var status: Status
    /// The device on which the session started, as the browser or application stated it, and its address.
    package private(set) var user_agent, address: String?
    /// A `Session.EndReason`, or a reason that only a newer version knows. Both versions run side by side during a deployment.
    private(set) var ended_reason: String?
    package private(set) var ended_at: Date?
    package let created_at, last_used_at: Date
    /// When the session ends if it is not used before. The next use may extend it.
    package let expires_at: Date
    package private(set) var updated_at: Date

    package init(_ row: Row, at now: Date) throws {
        id = try row.get("id")
        user_id = try row.get("user_id")
        application_id = try row.get("application_id")
        scope = Scope.shown(try row.get("scope"))
        user_agent = try row.get("user_agent")
        address = try row.get("address")
        ended_reason = try row.get("ended_reason")
        ended_at = try row.get("ended_at")
        expires_at = try row.get("ends_at")
        created_at = try row.get("created_at")
        last_used_at = try row.get("refreshed_at")
        updated_at = ended_at ?? last_used_at
        status = ended_at != nil ? .ended : now < expires_at ? .active : .expired
    }

    /// Whether the session has expired but may have valid access tokens. They are valid for at most one day.
    func mayHaveTokens(at now: Date) -> Bool {
        status == .expired && now < last_used_at.addingTimeInterval(86400)
    }

    /// The session after its revocation.
    func revoked(at now: Date) -> SessionReply {
        var revoked = self
        (revoked.status, revoked.ended_reason, revoked.ended_at, revoked.updated_at) = (
            .ended, Session.EndReason.revoked.rawValue, now, now
        )
        return revoked
    }

    /// The session in the audit trail, from which nothing can be deleted. It omits the user agent and the address, because these identify
    /// the user and the location.
    var audited: SessionReply {
        var audited = self
        (audited.user_agent, audited.address) = (nil, nil)
        return audited
    }

    static func find(_ id: ID<Session>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
        FROM session_life WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    package static func all(_ ids: [ID<Session>], of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
        FROM session_life WHERE tenant_id = \(tenant) AND id = ANY(\(ids))
        """
    }

    /// The newest hundred active sessions of a user.
    package static func active(of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
        FROM session_life WHERE tenant_id = \(tenant) AND user_id = \(user) AND ended_at IS NULL AND ends_at > \(now)
        ORDER BY id DESC LIMIT 100
        """
    }

    package struct Filter {
        var user: ID<User>?
        var application: ID<Application>?
        var status: Status?

        package init(user: ID<User>?, application: ID<Application>?, status: Status?) {
            (self.user, self.application, self.status) = (user, application, status)
        }
    }

    package static func page(_ page: PageRequest, of tenant: ID<Tenant>, _ filter: Filter, at now: Date) -> SQL {
        let (application, status) = (filter.application, filter.status?.rawValue)
        guard let user = filter.user else {
            return """
                SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
                FROM session_life WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
                    AND (\(application) IS NULL OR application_id = \(application))
                    AND (\(status) IS NULL OR \(status) =
                        CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN ends_at > \(now) THEN 'active' ELSE 'expired' END)
                ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
                """
        }
        // This query uses the user's index.
        return """
            SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
            FROM session_life
            WHERE tenant_id = \(tenant) AND user_id = \(user) AND id < \(page.upper) AND id > \(page.lower)
                AND (\(application) IS NULL OR application_id = \(application))
                AND (\(status) IS NULL OR \(status) =
                    CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN ends_at > \(now) THEN 'active' ELSE 'expired' END)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
    }
}
