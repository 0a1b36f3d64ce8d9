package import Access
package import People
import Postgres

/// The provider to which an address leads, because a tenant has proved the domain of the address.
package struct AddressProvider: Sendable {
    package let tenant: ID<Tenant>
    package let connection: SSOConnection

    /// The provider of an address. Nil if no tenant with a provider has proved its domain.
    /// - Parameter database: sees the rows of all owners.
    package static func find(_ address: String, in database: PlatformDatabase) async throws -> AddressProvider? {
        guard let domain = SSODomain.ofAddress(address) else { return nil }
        return try await database.run(SSOConnection.find(domain: domain)).first { row in
            AddressProvider(tenant: try row.get("tenant_id"), connection: try SSOConnection(row))
        }
    }

    /// Whether a person must sign in with the provider: a member of its tenant, if the tenant requires it. The rule does not apply to others.
    /// - Parameters:
    ///   - memberships: those of the person, with their owners.
    ///   - hasPasskey: whether the person signs in with a passkey. An owner may, in case the provider fails.
    package func isRequired(of memberships: [(owner: ID<Tenant>, membership: Membership)], hasPasskey: Bool) -> Bool {
        guard connection.isRequired, let member = memberships.first(where: { $0.owner == tenant })?.membership else { return false }
        return !(hasPasskey && member.role == .builtIn(.owner))
    }
}
