package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// The routes of a tenant's signing keys, below `/v1/tenants/{tenant}`. The keys rotate automatically (`DueSigningKeys`). These routes
/// list them and rotate them at once.
package struct SigningKeyRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let signingKeys: SigningKeys
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, signingKeys: SigningKeys, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.signingKeys, self.now) = (pool, keyring, signingKeys, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "signing-keys", "listSigningKeys", use: listSigningKeys)
        routes.on(.post, "signing-keys/rotate", "rotateSigningKeys", use: rotateSigningKeys)
        return routes
    }
}
