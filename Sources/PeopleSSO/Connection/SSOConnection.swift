package import Access
package import Foundation
package import Postgres
package import Sealing

/// The OpenID Connect provider of a tenant, with which its members sign in. A tenant has at most one.
///
/// It speaks only for addresses in the proved domains of the tenant (`SSODomain`), and a sign-in with it acts only for this tenant.
package struct SSOConnection: Identified, Sendable {
    package static let idPrefix = "sso"

    package let id: ID<SSOConnection>
    package var issuer: String
    package var clientID: String
    private(set) var sealedSecret: [UInt8]
    /// Whether members with an address of a proved domain sign in only there.
    package var isRequired: Bool
    /// When a member last signed in with this issuer and client.
    package var signedInAt: Date?
    package let createdAt: Date
    package var updatedAt: Date

    init(
        _ id: ID<SSOConnection>, issuer: String, clientID: String, secret: Secret, isRequired: Bool, of tenant: ID<Tenant>,
        keyring: Keyring,
        at now: Date
    ) {
        (self.id, self.issuer, self.clientID, self.isRequired, signedInAt) = (id, issuer, clientID, isRequired, nil)
        sealedSecret = keyring.seal(secret.revealBytes(), in: Self.context(id, of: tenant.uuid)).bytes
        (createdAt, updatedAt) = (now, now)
    }

    mutating func setSecret(_ secret: Secret, of tenant: ID<Tenant>, keyring: Keyring) {
        sealedSecret = keyring.seal(secret.revealBytes(), in: Self.context(id, of: tenant.uuid)).bytes
    }

    /// The secret of the client at the provider.
    private func secret(of tenant: ID<Tenant>, keyring: Keyring) throws -> Secret {
        Secret(bytes: try keyring.open(Sealed(bytes: sealedSecret), in: Self.context(id, of: tenant.uuid)))
    }

    /// The client at the provider.
    package func provider(
        of tenant: ID<Tenant>, publicURL: String, keyring: Keyring, documents: ProviderDocuments
    ) throws -> OIDCProvider {
        OIDCProvider(
            issuer: issuer, clientID: clientID, secret: try secret(of: tenant, keyring: keyring),
            redirectURI: Self.redirectURI(publicURL: publicURL), of: tenant, documents: documents)
    }

    /// The row that the secret is bound to.
    static func context(_ id: ID<SSOConnection>, of tenant: UUID) -> SealingContext {
        SealingContext(tenant: tenant, table: "sso_connection", column: "sealed_client_secret", row: id.description)
    }
}

// MARK: Rows

extension SSOConnection {
    package init(_ row: Row) throws {
        id = try row.get("id")
        issuer = try row.get("issuer")
        clientID = try row.get("client_id")
        sealedSecret = try row.get("sealed_client_secret")
        isRequired = try row.get("is_required")
        signedInAt = try row.get("signed_in_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    package static func find(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, issuer, client_id, sealed_client_secret, is_required, signed_in_at, created_at, updated_at FROM sso_connection
        WHERE tenant_id = \(tenant)
        """
    }

    /// The connection of the tenant that has proved a domain, with `tenant_id`. At most one.
    package static func find(domain: String) -> SQL {
        """
        SELECT c.tenant_id, c.id, c.issuer, c.client_id, c.sealed_client_secret, c.is_required, c.signed_in_at, c.created_at, c.updated_at
        FROM sso_domain AS d JOIN sso_connection AS c ON c.tenant_id = d.tenant_id
        WHERE d.domain = \(domain) AND d.state IN ('active', 'failing')
        """
    }

    /// The connection, locked for a transaction that changes it.
    static func lock(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, issuer, client_id, sealed_client_secret, is_required, signed_in_at, created_at, updated_at FROM sso_connection
        WHERE tenant_id = \(tenant) FOR UPDATE
        """
    }

    /// The schema refuses a second one (`sso_connection_one`).
    func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO sso_connection (tenant_id, id, issuer, client_id, sealed_client_secret, is_required, created_at, updated_at)
        VALUES (\(tenant), \(id), \(issuer), \(clientID), \(sealedSecret), \(isRequired), \(createdAt), \(updatedAt))
        """
    }

    func update(tenant: ID<Tenant>) -> SQL {
        """
        UPDATE sso_connection SET issuer = \(issuer), client_id = \(clientID), sealed_client_secret = \(sealedSecret),
            is_required = \(isRequired), signed_in_at = \(signedInAt), updated_at = \(updatedAt)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    static func delete(of tenant: ID<Tenant>) -> SQL {
        "DELETE FROM sso_connection WHERE tenant_id = \(tenant)"
    }

    /// Records a sign-in. It affects no row if the provider was changed since the sign-in started.
    package func noteSignIn(of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE sso_connection SET signed_in_at = \(now)
        WHERE tenant_id = \(tenant) AND id = \(id) AND issuer = \(issuer) AND client_id = \(clientID)
        """
    }
}
