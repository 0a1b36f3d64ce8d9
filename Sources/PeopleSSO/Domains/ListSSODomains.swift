import Access
import Hummingbird
import Postgres
import Web

extension SSORoutes {
    @Sendable
    func listSSODomains(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let page = try Query(request, "limit", "after", "before").page
        let domains = try await call.database(pool).run(SSODomain.page(page, of: call.tenant)).map(SSODomain.init)
        return try .json(Page(domains, of: page, id: \.id.uuid, SSODomainReply.init))
    }
}
