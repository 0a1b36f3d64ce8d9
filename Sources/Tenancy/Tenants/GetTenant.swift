import Access
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    @Sendable
    func getTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsRead)
        guard let tenant = try await call.database(pool).run(Tenant.find(call.tenant)).first(Tenant.init)
        else { throw Problem.notFound("tenant") }
        return try .resource(reply(tenant), updatedAt: tenant.updatedAt)
    }
}
