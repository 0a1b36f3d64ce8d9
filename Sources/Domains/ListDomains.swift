import Access
import Hummingbird
import Postgres
import Web

extension DomainRoutes {
    @Sendable
    func listDomains(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let page = try Query(request, "limit", "after", "before").page
        let domains = try await call.database(pool).run(Domain.page(page, of: call.tenant)).map(Domain.init)
        return try .json(Page(domains, of: page, id: \.id.uuid) { DomainReply($0, publicURL: publicURL) })
    }
}
