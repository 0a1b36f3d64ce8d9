package import Hummingbird
package import Tenancy
import Web

extension Login {
    /// A tenant's signing keys. They take turns by themselves (`DueSigningKeys`); here they are looked at, and take turns at once.
    /// Below `/v1/tenants/{tenant}`.
    package var signingKeyRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "signing-keys", "listSigningKeys", use: listSigningKeys)
        routes.on(.post, "signing-keys/rotate", "rotateSigningKeys", use: rotateSigningKeys)
        return routes
    }
}
