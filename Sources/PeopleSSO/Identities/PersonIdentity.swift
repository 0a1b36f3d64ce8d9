package import Access
package import Foundation
package import Postgres

/// An account of a person at a provider: that of a tenant, or Apple through the platform's own tenant.
///
/// It belongs to the platform, as everything that proves a person. It names the tenant of the provider, because the provider of one tenant
/// must not sign anybody in for another one, even if both have the same issuer.
package struct PersonIdentity: Identified, Sendable {
    package static let idPrefix = "personidentity"

    package let id: ID<PersonIdentity>
    package let person: ID<Person>
    package let issuerTenant: ID<Tenant>
    package let issuer: String
    package let subject: String
    package let createdAt: Date
    package let lastUsedAt: Date?
}

// MARK: Rows

extension PersonIdentity {
    package init(_ row: Row) throws {
        id = try row.get("id")
        person = try row.get("person_id")
        issuerTenant = try row.get("issuer_tenant_id")
        issuer = try row.get("issuer")
        subject = try row.get("subject")
        createdAt = try row.get("created_at")
        lastUsedAt = try row.get("last_used_at")
    }

    package static func find(_ subject: String, at issuer: String, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, person_id, issuer_tenant_id, issuer, subject, created_at, last_used_at FROM person_identity
        WHERE tenant_id = \(UUID.platform) AND issuer_tenant_id = \(tenant) AND issuer = \(issuer) AND subject = \(subject)
        """
    }

    /// The account of a person at one provider.
    package static func find(of person: ID<Person>, at issuer: String, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, person_id, issuer_tenant_id, issuer, subject, created_at, last_used_at FROM person_identity
        WHERE tenant_id = \(UUID.platform) AND person_id = \(person) AND issuer_tenant_id = \(tenant) AND issuer = \(issuer)
        """
    }

    /// The schema refuses an account that belongs to a person (`person_identity_subject`), and a second one of the same person at the
    /// provider (`person_identity_one`).
    package static func insert(
        _ subject: String, at issuer: String, of tenant: ID<Tenant>, to person: ID<Person>, at now: Date
    ) -> SQL {
        """
        INSERT INTO person_identity (id, person_id, issuer_tenant_id, issuer, subject, created_at, last_used_at)
        VALUES (\(ID<PersonIdentity>(at: now)), \(person), \(tenant), \(issuer), \(subject), \(now), \(now))
        """
    }

    package static func use(_ id: ID<PersonIdentity>, at now: Date) -> SQL {
        "UPDATE person_identity SET last_used_at = \(now) WHERE tenant_id = \(UUID.platform) AND id = \(id)"
    }

    /// Deletes the account of a person at a provider.
    package static func delete(of person: ID<Person>, at issuer: String, of tenant: ID<Tenant>) -> SQL {
        """
        DELETE FROM person_identity
        WHERE tenant_id = \(UUID.platform) AND person_id = \(person) AND issuer_tenant_id = \(tenant) AND issuer = \(issuer)
        """
    }
}
