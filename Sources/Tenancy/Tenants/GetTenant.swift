import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    let id: ID<Tenant>
    let object = "tenant"
    let slug, name: String
    let plan: Tenant.Plan
    let status: Tenant.Status
    let created_at, updated_at: Date
}

extension TenancyRoutes {
    @Sendable
    func getTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsRead)
        guard let tenant = try await call.database(pool).run(Tenant.find(call.tenant)).first(Tenant.init)
        else { throw Problem.notFound("tenant") }
        return try .json(
            Reply(
                id: tenant.id, slug: tenant.slug, name: tenant.name, plan: tenant.plan, status: tenant.status,
                created_at: tenant.createdAt, updated_at: tenant.updatedAt))
    }
}
