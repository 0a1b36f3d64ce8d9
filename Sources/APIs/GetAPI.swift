import Access
import Hummingbird
import Postgres
import Web

extension APIRoutes {
    @Sendable
    func getAPI(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let id = try call.id("api", of: "API", as: API.self)
        let (found, permissions) = try await call.database(pool).run(
            API.find(id, of: call.tenant), API.Permission.all(of: id, call.tenant))
        guard let api = try API.all(found, permissions: permissions).first else { throw Problem.notFound("API") }
        return try .resource(APIReply(api), updatedAt: api.updatedAt)
    }
}
