import Access
import Hummingbird
import Postgres
import Web

extension RoleRoutes {
    @Sendable
    func listRoles(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersRead)
        let page = try Query(request, "limit", "after", "before").page
        let roles = try await call.database(pool).run(CustomRole.page(page, of: call.tenant)).map(CustomRole.init)
        return try .json(Page(roles, of: page, id: \.id.uuid, RoleReply.init))
    }
}
