import APIs
import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Tenancy
import Web

extension DomainRoutes {
    /// Claims a host. It reserves nothing: the host serves the first tenant that proves its ownership.
    @Sendable
    func createDomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let host = fields.text("host", 1...1000, isRequired: true) { DomainName.refusal(of: $0, publicURL: publicURL) }
        try fields.finish()
        guard let host else { throw Problem(.invalid, "`host` is required.") }
        try await requireNoAPI(at: host, call)

        let now = now()
        let domain = Domain(ID(at: now), host: host, token: RandomText.make(), at: now)
        let (tenant, owner, reply) = (call.tenant, call.owner, DomainReply(domain, publicURL: publicURL))
        let event = try AuditEvent.insert(
            "createDomain", of: domain.id.description, owner: call.owner, by: call.origin, after: reply, at: now)
        try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (_, found, existing) = try await db.run(
                    Domain.lockAll(of: tenant), Domain.find(host: host, of: tenant),
                    """
                    SELECT (SELECT count(*) FROM domain WHERE tenant_id = \(tenant)) AS n,
                        (SELECT count(*) FROM lost_host WHERE tenant_id = \(UUID.platform) AND lost_by = \(tenant)
                            AND lost_at > \(now - Domain.windowOfLost)) AS lost
                    """)
                var statements: [SQL] = []
                // An ended claim does not prevent another one.
                if let ended = try found.first(Domain.init), ended.isExpired(at: now) {
                    statements = [
                        "DELETE FROM domain WHERE tenant_id = \(tenant) AND id = \(ended.id)",
                        try ended.deletion(of: owner, by: .system, publicURL: publicURL, at: now),
                    ]
                }
                guard try existing[0].get("n", as: Int.self) < Domain.limit || !statements.isEmpty
                else { throw Problem(.conflict, "A tenant can have at most \(Domain.limit) domains. Delete an unused one.") }
                // Each process has all lost hosts in memory, for a year.
                guard try existing[0].get("lost", as: Int.self) < Domain.mostLost
                else {
                    throw Problem(
                        .conflict, "The tenant has deleted \(Domain.mostLost) verified domains in 30 days. Create another one later.")
                }
                _ = try await db.run(statements + [domain.insert(tenant: tenant), event])
            }
        }
        return try .resource(
            reply, updatedAt: now, status: .created, headers: [.location: "/v1/tenants/\(call.slug)/domains/\(domain.id)"])
    }
}

extension DomainRoutes {
    /// Refuses a host whose issuer is the audience of an API. Its access tokens would look like those for the issuer.
    /// - Throws: `Problem` 409.
    func requireNoAPI(at host: String, _ call: TenantContext) async throws {
        let issuer = endpoints.origin(ofHost: host)
        guard try await call.database(pool).run(API.find(under: issuer, of: call.tenant)).isEmpty
        else {
            throw Problem(
                .conflict, "An API of the tenant has the audience \(issuer), or one below it. Delete the API, or use another host.",
                fields: [.init("host", "It is the audience of an API.")])
        }
    }
}
