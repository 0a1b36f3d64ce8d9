import Access
import Domains
import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    let object = "sso_domain_verification"
    let outcome: DomainProof.Result
    let domain: SSODomainReply
}

extension SSORoutes {
    /// Looks for the proof of a domain. With it, addresses of the domain lead to the tenant's provider. Without it, only the time of the
    /// look changes.
    @Sendable
    func verifySSODomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try requireOwner(call)
        try call.requireRecentSignIn(at: self.now())
        try await JSONFields(request, isOptional: true).requireEmpty()
        let id = try call.id("sso_domain", of: "domain", as: SSODomain.self)
        let (tenant, origin) = (call.tenant, call.origin)
        guard let domain = try await call.database(pool).run(SSODomain.find(id, of: tenant)).first(SSODomain.init)
        else { throw Problem.notFound("domain") }
        guard !domain.isExpired(at: self.now())
        else { throw Problem(.conflict, "The claim has expired. Delete it, and create the domain again.") }
        var level = questionsOfDomain.take(id.uuid, at: .now)
        if level.isGranted { level = questionsOfTenant.take(call.owner, at: .now) }
        try level.requireGrant(
            "The domain was asked too often in a minute. DNS records take minutes to appear. Retry after the seconds in `Retry-After`.")
        let result = try await domain.look(with: proof)

        let now = self.now()
        let changed = try await refusingConflicts {
            try await SSODomain.record(result, of: id, tenant, by: origin, in: call.database(pool), at: now)
        }
        guard let changed else { throw Problem.notFound("domain") }
        return try .json(Reply(outcome: result, domain: SSODomainReply(changed)))
    }
}

extension SSODomain {
    /// Records the result of a look. A change of the state is audited.
    /// - Returns: the domain, or nil if it was deleted during the look.
    static func record(
        _ result: DomainProof.Result, of id: ID<SSODomain>, _ tenant: ID<Tenant>, by origin: AuditEvent.Origin, in database: OwnerDatabase,
        at now: Date
    ) async throws -> SSODomain? {
        try await database.transaction { db in
            let (_, found) = try await db.run(lockAll(of: tenant), lock(id, of: tenant))
            guard let current = try found.first(SSODomain.init) else { return nil }
            let changed = current.checked(result, at: now)
            var statements = [changed.update(tenant: tenant)]
            if changed.state != current.state {
                statements.append(
                    try AuditEvent.insert(
                        "verifySSODomain", of: id.description, owner: tenant.uuid, by: origin, before: SSODomainReply(current),
                        after: SSODomainReply(changed), at: now))
            }
            _ = try await db.run(statements)
            return changed
        }
    }
}
