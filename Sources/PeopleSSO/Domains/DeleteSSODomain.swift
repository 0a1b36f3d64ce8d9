import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension SSORoutes {
    /// Deletes a domain. Its addresses no longer lead to the tenant's provider, and another tenant can prove it.
    @Sendable
    func deleteSSODomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try requireOwner(call)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("sso_domain", of: "domain", as: SSODomain.self)
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await call.database(pool).transaction { db in
            let (_, found) = try await db.run(SSODomain.lockAll(of: tenant), SSODomain.lock(id, of: tenant))
            guard let domain = try found.first(SSODomain.init) else { throw Problem.notFound("domain") }
            try request.requireMatch(EntityTag(domain.updatedAt))
            _ = try await db.run([SSODomain.delete(id, of: tenant), try domain.deletion(of: owner, by: origin, at: now)])
        }
        return .noContent
    }
}

extension SSODomain {
    /// The audit event of a deletion.
    func deletion(of owner: UUID, by origin: AuditEvent.Origin, at now: Date) throws -> SQL {
        try AuditEvent.insert("deleteSSODomain", of: id.description, owner: owner, by: origin, before: SSODomainReply(self), at: now)
    }
}
