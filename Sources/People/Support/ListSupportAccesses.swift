import Access
import Hummingbird
import Postgres
import Web

extension SupportRoutes {
    /// Lists the support accesses of a tenant, also those that have ended.
    @Sendable
    func listSupportAccesses(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersRead)
        let page = try Query(request, "limit", "after", "before").page
        let now = now()
        let found = try await call.database(pool).run(SupportAccess.page(page, of: call.tenant)).map(SupportAccess.init)
        return try .json(Page(found, of: page, id: \.id.uuid) { SupportAccessReply($0, at: now) })
    }
}
