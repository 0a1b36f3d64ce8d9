import Access
import Hummingbird
import Postgres
import Web

extension SessionRoutes {
    @Sendable
    func getSession(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsRead)
        let id = try call.id("session", of: "session", as: Session.self)
        let now = now()
        guard
            let session = try await call.database(pool).run(SessionReply.find(id, of: call.tenant)).first({ try SessionReply($0, at: now) })
        else { throw Problem.notFound("session") }
        return try .resource(session, updatedAt: session.updated_at)
    }
}
