package import Access
package import Domains
package import Foundation
package import Hummingbird
import Pages
package import People
package import Postgres
package import Sealing
import Web

/// Manages the provider with which the members of a tenant sign in, and the domains that it speaks for.
///
///     createSSODomain → the tenant publishes the token → verifySSODomain → active
///     setSSO → checkSSO → a member signs in with an address of the domain → `is_required` is possible
///     SSODomainJobs → the proof is missing → failing → 7 days later inactive
package struct SSORoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let publicURL: String
    let proof: DomainProof
    let documents: ProviderDocuments
    let notices: OwnerNotices
    let allowsPrivate: Bool
    let now: @Sendable () -> Date
    /// Limits how often a tenant and a domain cause questions to other servers in this process.
    let questionsOfTenant = TokenBuckets<UUID>(perMinute: 10)
    let questionsOfDomain = TokenBuckets<UUID>(perMinute: 4)

    /// - Parameter allowsPrivate: whether a provider may be in a private network and without TLS. For development.
    package init(
        pool: DatabasePool, keyring: Keyring, publicURL: String, proof: DomainProof, documents: ProviderDocuments, notices: OwnerNotices,
        allowsPrivate: Bool, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.publicURL, self.proof, self.documents) = (pool, keyring, publicURL, proof, documents)
        (self.notices, self.allowsPrivate, self.now) = (notices, allowsPrivate, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "sso", "getSSO", use: getSSO)
        routes.on(.put, "sso", "setSSO", use: setSSO)
        routes.on(.delete, "sso", "deleteSSO", use: deleteSSO)
        routes.on(.post, "sso/check", "checkSSO", use: checkSSO)
        routes.on(.get, "sso/domains", "listSSODomains", use: listSSODomains)
        routes.on(.post, "sso/domains", "createSSODomain", use: createSSODomain)
        routes.on(.post, "sso/domains/{sso_domain}/verify", "verifySSODomain", use: verifySSODomain)
        routes.on(.delete, "sso/domains/{sso_domain}", "deleteSSODomain", use: deleteSSODomain)
        return routes
    }

    /// Checks that the caller may change the provider or its domains. A provider signs in as each member with an address in a proved domain,
    /// also as an owner, so the caller needs all permissions of an owner.
    /// - Throws: `Problem` 403.
    func requireOwner(_ call: TenantContext) throws {
        try call.require(.connectionsWrite)
        guard BuiltInRole.owner.isIncluded(in: call.caller.scopes.map(\.rawValue))
        else {
            throw Problem(
                .insufficientScope,
                "The provider can sign in as an owner. So only a caller with all scopes of the role `owner` can change it or its domains.")
        }
    }

    /// The mail to the owners about a change of the provider.
    func mail(_ notice: (_ actor: String) -> OperatorMail.Notice, of call: TenantContext) async throws -> OperatorMail? {
        let actor = call.caller.actor
        let find = actor.person.map { Membership.find($0, of: call.owner) }
        let member = if let find { try await call.database(pool).run(find).first(Membership.init) } else { Membership?.none }
        return try await notices.mail(notice(member?.email ?? actor.description), to: call.owner)
    }

    /// Runs a change. A refusal of the schema becomes a problem.
    func refusingConflicts<R>(_ change: () async throws -> R) async throws -> R {
        do { return try await change() } catch let error as DatabaseError where error.constraint == "sso_connection_one" {
            throw Problem(.conflict, "Another request has set the provider. Read it, and retry.")
        } catch let error as DatabaseError where error.constraint == "sso_domain_claim" {
            throw Problem(.conflict, "The tenant has this domain already.", fields: [.init("domain", "It is in use.")])
        } catch let error as DatabaseError where error.constraint == "sso_domain_proved" {
            throw Problem(
                .conflict,
                """
                The domain belongs to another tenant. Delete it there, or ask the operator if this tenant is deleted. It also becomes free \
                when the proof of the other tenant has been missing for 7 days.
                """)
        }
    }
}
