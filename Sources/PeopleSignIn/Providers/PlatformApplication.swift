import Access
package import Logging
import PeopleSSO
import Tenancy

/// The application of the platform's own tenant, through which people sign in with Apple. Nothing distinguishes it from the applications of
/// other tenants.
package struct PlatformApplication: Sendable {
    static let callbackPath = "/account/apple/callback"

    /// The slug of the tenant.
    let tenant: String
    let clientID: String
    /// The documents of this server itself, which may be in a private network.
    private let documents: ProviderDocuments

    package init(tenant: String, clientID: String, logger: Logger) {
        (self.tenant, self.clientID) = (tenant, clientID)
        documents = ProviderDocuments(allowsPrivate: true, logger: logger)
    }

    /// This server as the provider. Nil if the tenant does not exist or is not active.
    func provider(_ directory: TenantDirectory, publicURL: String) async throws -> OIDCProvider? {
        guard let tenant = try await directory.find(idOrSlug: tenant)?.tenant, tenant.status == .active else { return nil }
        return OIDCProvider(
            issuer: "\(publicURL)/t/\(tenant.slug)", clientID: clientID, secret: nil, redirectURI: publicURL + Self.callbackPath,
            of: tenant.id, documents: documents)
    }
}
