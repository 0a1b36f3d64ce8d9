package import Access
package import Foundation
package import Postgres
import Tenancy
package import Users
import Web

/// A session as the REST API shows it.
package struct SessionReply: Encodable, Sendable {
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
    /// Nil of a session from a version that granted no scope.
    let scope: String?
    private(set) var status: Status
    /// What it began on, by the browser's or the application's own word, and from where.
    private(set) var user_agent, address: String?
    /// A `Session.EndReason`, or one that only a newer version knows, which runs beside this one while it is deployed.
    private(set) var ended_reason: String?
    private(set) var ended_at: Date?
    let created_at, last_used_at: Date
    /// When it ends unless it is used before; the next use may put it off.
    let expires_at: Date
    private(set) var updated_at: Date

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

    /// Whether it has run out and left access tokens that may live still, as they do for a day at the most.
    func mayHaveTokens(at now: Date) -> Bool {
        status == .expired && now < last_used_at.addingTimeInterval(86400)
    }

    /// The same after its revocation.
    func revoked(at now: Date) -> SessionReply {
        var revoked = self
        (revoked.status, revoked.ended_reason, revoked.ended_at, revoked.updated_at) = (
            .ended, Session.EndReason.revoked.rawValue, now, now
        )
        return revoked
    }

    /// As the audit trail keeps it, which nothing can be taken out of: without what says who and where its user is.
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

    /// The newest hundred that a user is signed in with.
    package static func active(of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
        FROM session_life WHERE tenant_id = \(tenant) AND user_id = \(user) AND ended_at IS NULL AND ends_at > \(now)
        ORDER BY id DESC LIMIT 100
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
                SELECT id, user_id, application_id, scope, user_agent, address, created_at, refreshed_at, ended_at, ended_reason, ends_at
                FROM session_life WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
                    AND (\(application) IS NULL OR application_id = \(application))
                    AND (\(status) IS NULL OR \(status) =
                        CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN ends_at > \(now) THEN 'active' ELSE 'expired' END)
                ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
                """
        }
        // By the user's index.
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
