package import Access
import Foundation
import Hummingbird
import Postgres
import Users
import Web

/// A login. The session and the usage event contain its ID.
package enum LoginID: Identified {
    package static let idPrefix = "login"
}

/// A login that received its tokens. Its session has the same ID.
///
/// A login that failed at Apple or in the browser is not stored, so the list does not have it. The metrics count those.
private struct LoginReply: Encodable, Sendable {
    let id: ID<Session>
    let object = "login"
    let user_id: ID<User>
    let application_id: ID<Application>
    /// Whether a session of the browser signed the user in, without Apple.
    let is_silent: Bool
    let user_agent, address: String?
    let authenticated_at: Date?
    /// The state of the session.
    let outcome: SessionReply.Status
    let ended_reason: String?
    let occurred_at, created_at, updated_at: Date

    init(_ row: Row, at now: Date) throws {
        let session = try SessionReply(row, at: now)
        (id, user_id, application_id) = (session.id, session.user_id, session.application_id)
        (user_agent, address) = (session.user_agent, session.address)
        is_silent = try row.get("is_silent", as: Bool?.self) ?? false
        authenticated_at = try row.get("authenticated_at")
        (outcome, ended_reason) = (session.status, session.ended_reason)
        (occurred_at, created_at, updated_at) = (session.created_at, session.created_at, session.updated_at)
    }
}

extension SessionRoutes {
    /// Lists the logins of a tenant, newest first. A terminal reads the first page again and again to follow them.
    @Sendable
    func listLogins(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsRead)
        let query = try Query(request, "limit", "after", "before", "application")
        let (page, application) = (try query.page, try query.id("application", as: Application.self))
        let (tenant, now) = (call.tenant, now())
        let logins = try await call.database(pool).run(
            """
            SELECT l.id, l.user_id, l.application_id, l.scope, l.user_agent, l.address, l.created_at, l.refreshed_at, l.ended_at,
                l.ended_reason, l.ends_at, s.is_silent, s.authenticated_at
            FROM session_life AS l JOIN session AS s ON s.tenant_id = l.tenant_id AND s.id = l.id
            WHERE l.tenant_id = \(tenant) AND l.id < \(page.upper) AND l.id > \(page.lower)
                AND (\(application) IS NULL OR l.application_id = \(application))
            ORDER BY CASE WHEN \(page.isBackward) THEN l.id END ASC, l.id DESC LIMIT \(page.fetched)
            """
        ).map { try LoginReply($0, at: now) }
        return try .json(Page(logins, of: page, id: \.id.uuid) { $0 })
    }
}
