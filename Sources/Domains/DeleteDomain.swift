import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension DomainRoutes {
    /// Deletes a domain. The host no longer serves the tenant, and another tenant can prove it. If the address below the public URL was
    /// switched off, it is on again.
    @Sendable
    func deleteDomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("domain", of: "domain", as: Domain.self)
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await call.database(pool).transaction { db in
            let (_, found) = try await db.run(Domain.lockAll(of: tenant), Domain.lock(id, of: tenant))
            guard let domain = try found.first(Domain.init) else { throw Problem.notFound("domain") }
            try request.requireMatch(EntityTag(domain.updatedAt))
            _ = try await db.run([
                "DELETE FROM domain WHERE tenant_id = \(tenant) AND id = \(id)",
                try domain.deletion(of: owner, by: origin, publicURL: publicURL, at: now),
            ])
        }
        return .noContent
    }
}

extension Domain {
    /// The audit event of a deletion.
    func deletion(of owner: UUID, by origin: AuditEvent.Origin, publicURL: String, at now: Date) throws -> SQL {
        try AuditEvent.insert(
            "deleteDomain", of: id.description, owner: owner, by: origin, before: DomainReply(self, publicURL: publicURL), at: now)
    }
}
