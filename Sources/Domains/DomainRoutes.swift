package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Tenancy
package import Web

/// Manages the own hosts of a tenant.
///
///     createDomain → the tenant publishes the token → verifyDomain → active, which serves the tenant at the host
///     DomainUpkeep → the proof is missing → failing → 7 days later inactive
///
/// `HostTable` has the serving hosts in memory, and `TenantConfiguration` those of a tenant. Every change takes effect within 1 s, because
/// triggers on the rows notify each process.
package struct DomainRoutes: Sendable {
    let pool: DatabasePool
    let endpoints: TenantEndpoints
    let hosts: HostTable
    let proof: DomainProof
    let now: @Sendable () -> Date
    /// Limits how often a tenant and a domain cause questions to other servers in this process.
    let questionsOfTenant = TokenBuckets<UUID>(perMinute: 10)
    let questionsOfDomain = TokenBuckets<UUID>(perMinute: 4)

    var publicURL: String { endpoints.publicURL }

    package init(
        pool: DatabasePool, endpoints: TenantEndpoints, hosts: HostTable, proof: DomainProof, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.endpoints, self.hosts, self.proof, self.now) = (pool, endpoints, hosts, proof, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "domains", "createDomain", use: createDomain)
        routes.on(.get, "domains", "listDomains", use: listDomains)
        routes.on(.get, "domains/{domain}", "getDomain", use: getDomain)
        routes.on(.patch, "domains/{domain}", "updateDomain", use: updateDomain)
        routes.on(.delete, "domains/{domain}", "deleteDomain", use: deleteDomain)
        routes.on(.post, "domains/{domain}/verify", "verifyDomain", use: verifyDomain)
        return routes
    }

    package var publicRoutes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.on(.get, "certificates/ask", "askForCertificate", use: askForCertificate)
        return routes
    }

    /// Runs a change of a domain. A refusal of the schema becomes a problem.
    func refusingConflicts<R>(_ change: () async throws -> R) async throws -> R {
        do { return try await change() } catch let error as DatabaseError where error.constraint == "domain_claim" {
            throw Problem(.conflict, "The tenant has this host already.", fields: [.init("host", "It is in use.")])
        } catch let error as DatabaseError where error.constraint == "domain_host" {
            throw Problem(
                .conflict,
                """
                The host serves another tenant. Delete it there, or ask the operator if this tenant is deleted. It also becomes free when \
                the proof of the other tenant has been missing for 7 days.
                """)
        }
    }
}
