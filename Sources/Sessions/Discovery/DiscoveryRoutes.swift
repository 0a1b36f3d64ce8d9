package import Hummingbird
package import Signing
package import Tenancy
package import Web

/// The public documents that a library reads first: the metadata of the issuer and its keys.
package struct DiscoveryRoutes: Sendable {
    let endpoints: TenantEndpoints
    let signingKeys: SigningKeys

    package init(endpoints: TenantEndpoints, signingKeys: SigningKeys) {
        (self.endpoints, self.signingKeys) = (endpoints, signingKeys)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let documents = routes.limited(.problem, endpoints.limits)
        documents.on(.get, "t/{tenant}/.well-known/openid-configuration", "openIDConfiguration", use: openIDConfiguration)
        documents.on(
            .get, "t/{tenant}/.well-known/oauth-authorization-server", "authorizationServerMetadata", use: openIDConfiguration)
        // RFC 8414, section 3: the well-known part precedes the issuer's path.
        documents.on(
            .get, ".well-known/oauth-authorization-server/t/{tenant}", "authorizationServerMetadataAtRoot", use: openIDConfiguration)
        documents.on(.get, ".well-known/openid-configuration/t/{tenant}", "openIDConfigurationAtRoot", use: openIDConfiguration)
        documents.on(.get, "t/{tenant}/oauth2/jwks", "jwks", use: jwks)
        return routes
    }

    static func cacheControl(isOld: Bool) -> String {
        "public, max-age=\(isOld ? Issuer.oldLifetime : Issuer.lifetime)"
    }
}
