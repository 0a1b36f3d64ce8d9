import Access
import Hummingbird
import Postgres
import Web

extension ApplicationRoutes {
    @Sendable
    func getApplication(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let id = try call.id("application", of: "application", as: Application.self)
        guard let application = try await call.database(pool).run(Application.find(id, of: call.tenant)).first(Application.init)
        else { throw Problem.notFound("application") }
        return try .resource(ApplicationReply(application), updatedAt: application.updatedAt)
    }
}
