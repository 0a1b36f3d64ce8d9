import Access
import Foundation
import Hummingbird
import Postgres
import Sessions
import Users
import Web

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
        let replies = try sessions.map { WorkOSSession(try SessionReply($0, at: now), .active, of: call.tenant) }
        return try .json(page.list(replies, id: \.id) { $0 })
    }
}
