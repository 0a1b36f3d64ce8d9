import Access
import Hummingbird
import Postgres
import Web

extension SSORoutes {
    @Sendable
    func getSSO(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        guard let connection = try await call.database(pool).run(SSOConnection.find(of: call.tenant)).first(SSOConnection.init)
        else { throw Problem.notFound("SSO provider") }
        return try .resource(SSOReply(connection, publicURL: publicURL), updatedAt: connection.updatedAt)
    }
}
