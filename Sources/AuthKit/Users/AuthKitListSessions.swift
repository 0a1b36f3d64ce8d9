import Access
import Foundation
import Hummingbird
import Postgres
import Sessions
import Users
import Web

/// An active session in WorkOS's interface.
private struct Reply: Encodable {
    let object = "session"
    let id: String
    let user_id: ID<User>
    let organization_id: String
    @Nullable private(set) var ip_address: String?
    @Nullable private(set) var user_agent: String?
    let auth_method = "oauth"
    let status = "active"
    let expires_at: Date
    @Nullable private(set) var ended_at: Date?
    @Nullable private(set) var impersonator: String?
    let created_at, updated_at: Date

    init(_ session: SessionReply, of tenant: ID<Tenant>) {
        id = WorkOSSessionID(session.id, of: session.application_id).text
        (user_id, organization_id) = (session.user_id, WorkOSID.text(tenant))
        (expires_at, created_at, updated_at) = (session.expires_at, session.created_at, session.updated_at)
        _ip_address = Nullable(wrappedValue: session.address)
        _user_agent = Nullable(wrappedValue: session.user_agent)
        _ended_at = Nullable(wrappedValue: nil)
        _impersonator = Nullable(wrappedValue: nil)
    }
}

extension AuthKitUserRoutes {
    /// Lists the active sessions of a user.
    @Sendable
    func authKitListSessions(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsRead)
        let id = try call.id("user", of: "user", as: User.self)
        let page = try WorkOSPage(try Query(request.uri.query ?? "", WorkOSPage.parameters)) { WorkOSSessionID($0)?.session.uuid }
        let now = now()
        let (found, sessions) = try await call.database(pool).run(
            User.find(id, of: call.tenant),
            SessionReply.page(
                page.request, of: call.tenant, SessionReply.Filter(user: id, application: nil, status: .active), at: now))
        guard !found.isEmpty else { throw Problem.notFound("user") }
        let replies = try sessions.map { Reply(try SessionReply($0, at: now), of: call.tenant) }
        return try .json(page.list(replies, id: \.id) { $0 })
    }
}
