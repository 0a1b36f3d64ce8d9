package import Access
package import Foundation
import Postgres
import Tenancy

/// The tenants whose own provider a person must use to act for them.
package enum RequiredProviders {
    /// The tenants among these that require it: active ones with `is_required` and a proved domain, if the address of the person is in such a
    /// domain, or the person has an account at the provider. So nobody avoids it by another address. Without a proved domain nobody can sign
    /// in there, so the tenant requires nothing.
    /// - Parameter db: sees the rows of all owners.
    @Sendable
    package static func find(
        of person: ID<Person>, _ address: String, among tenants: [UUID], in db: PlatformDatabase
    ) async throws -> Set<UUID> {
        guard !tenants.isEmpty else { return [] }
        let domain = SSODomain.ofAddress(address) ?? ""
        let (found, active) = try await db.run(
            """
            SELECT c.tenant_id FROM sso_connection AS c WHERE c.tenant_id = ANY(\(tenants)) AND c.is_required
                AND EXISTS (SELECT FROM sso_domain AS d WHERE d.tenant_id = c.tenant_id AND d.state IN ('active', 'failing') AND (
                    d.domain = \(domain)
                    OR EXISTS (SELECT FROM person_identity AS i WHERE i.tenant_id = \(UUID.platform) AND i.person_id = \(person)
                        AND i.issuer_tenant_id = c.tenant_id AND i.issuer = c.issuer)))
            """,
            Tenant.active(among: tenants))
        return Set(try found.map { try $0.get("tenant_id", as: UUID.self) }).intersection(
            try active.map { try $0.get("id", as: UUID.self) })
    }
}
