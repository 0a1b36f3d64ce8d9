package import Access
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
}
