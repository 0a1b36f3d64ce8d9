import Access
import Hummingbird
import Postgres
import Web

extension DomainRoutes {
    @Sendable
    func getDomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let domain = try await domain(in: call)
        return try .resource(DomainReply(domain, publicURL: publicURL), updatedAt: domain.updatedAt)
    }

    /// The domain in the path.
    /// - Throws: `Problem` 404.
    func domain(in call: TenantContext) async throws -> Domain {
        let id = try call.id("domain", of: "domain", as: Domain.self)
        guard let domain = try await call.database(pool).run(Domain.find(id, of: call.tenant)).first(Domain.init)
        else { throw Problem.notFound("domain") }
        return domain
    }
}
