import Access
import Domains
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension SSORoutes {
    /// Claims a domain of addresses. It reserves nothing: the domain belongs to the first tenant that proves it.
    @Sendable
    func createSSODomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try requireOwner(call)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let name = fields.text("domain", 1...1000, isRequired: true) { DomainName.refusal(of: $0, below: SSODomain.recordPrefix) }
        try fields.finish()
        guard let name else { throw Problem(.invalid, "`domain` is required.") }

        let now = now()
        let domain = SSODomain(ID(at: now), domain: name, token: RandomText.make(), at: now)
        let (tenant, owner, reply) = (call.tenant, call.owner, SSODomainReply(domain))
        let event = try AuditEvent.insert(
            "createSSODomain", of: domain.id.description, owner: owner, by: call.origin, after: reply, at: now)
        try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (_, found, existing) = try await db.run(
                    SSODomain.lockAll(of: tenant), SSODomain.find(domain: name, of: tenant),
                    "SELECT count(*) AS n FROM sso_domain WHERE tenant_id = \(tenant)")
                var statements: [SQL] = []
                // An ended claim does not prevent another one.
                if let ended = try found.first(SSODomain.init), ended.isExpired(at: now) {
                    statements = [SSODomain.delete(ended.id, of: tenant), try ended.deletion(of: owner, by: .system, at: now)]
                }
                guard try existing[0].get("n", as: Int.self) < SSODomain.limit || !statements.isEmpty
                else { throw Problem(.conflict, "A tenant can have at most \(SSODomain.limit) domains. Delete an unused one.") }
                _ = try await db.run(statements + [domain.insert(tenant: tenant), event])
            }
        }
        return try .resource(
            reply, updatedAt: now, status: .created, headers: [.location: "/v1/tenants/\(call.slug)/sso/domains/\(domain.id)"])
    }
}
