import Access
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    let object = "domain_verification"
    let outcome, record, file: DomainProof.Result
    let domain: DomainReply
}

extension DomainRoutes {
    /// Looks for the proof of a domain. With it, the host serves the tenant. Without it, only the time of the look changes.
    @Sendable
    func verifyDomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try await JSONFields(request, isOptional: true).requireEmpty()
        let domain = try await domain(in: call)
        guard !domain.isExpired(at: self.now())
        else { throw Problem(.conflict, "The claim has expired. Delete it, and create the domain again.") }
        try await requireNoAPI(at: domain.host, call)
        try requireQuestion(about: domain, call)
        let findings = try await proof.look(for: domain)

        let (tenant, origin, now) = (call.tenant, call.origin, self.now())
        let changed = try await refusingConflicts {
            try await Domain.record(
                findings.result, of: domain.id, tenant, by: origin, publicURL: publicURL, in: call.database(pool), at: now)
        }
        guard let changed else { throw Problem.notFound("domain") }
        return try .json(
            Reply(
                outcome: findings.result, record: findings.record, file: findings.file,
                domain: DomainReply(changed, publicURL: publicURL)))
    }

    /// Counts a look for the tenant and the domain.
    /// - Throws: `Problem` 429.
    func requireQuestion(about domain: Domain, _ call: TenantContext) throws {
        var level = questionsOfDomain.take(domain.id.uuid, at: .now)
        if level.isGranted { level = questionsOfTenant.take(call.owner, at: .now) }
        try level.requireGrant(
            "The host was asked too often in a minute. DNS records take minutes to appear. Retry after the seconds in `Retry-After`.")
    }
}

extension Domain {
    /// Records the result of a look. A change of the state is audited.
    /// - Returns: the domain, or nil if it was deleted during the look.
    static func record(
        _ result: DomainProof.Result, of id: ID<Domain>, _ tenant: ID<Tenant>, by origin: AuditEvent.Origin, publicURL: String,
        in database: OwnerDatabase, at now: Date
    ) async throws -> Domain? {
        try await database.transaction { db in
            let (_, found) = try await db.run(lockAll(of: tenant), lock(id, of: tenant))
            guard let current = try found.first(Domain.init) else { return nil }
            let changed = current.checked(result, at: now)
            var statements = [changed.update(tenant: tenant)]
            if changed.state != current.state {
                statements.append(
                    try AuditEvent.insert(
                        "verifyDomain", of: id.description, owner: tenant.uuid, by: origin,
                        before: DomainReply(current, publicURL: publicURL), after: DomainReply(changed, publicURL: publicURL), at: now))
            }
            _ = try await db.run(statements)
            return changed
        }
    }
}
