package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Manages API keys. A new key has scopes. A rolled key stays valid for an overlap, together with its successor. The response shows a
/// secret once. A change takes effect in every process within 1 s. An operator can manage the keys of a tenant. A tenant cannot manage
/// the keys of the platform.
package struct APIKeyRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// The URL of this server for browsers and Apple, without a slash at its end.
    let publicURL: String
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, keyring: Keyring, publicURL: String, now: @escaping @Sendable () -> Date) {
        (self.pool, self.keyring, self.publicURL, self.now) = (pool, keyring, publicURL, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "api-keys", "listAPIKeys") { try await listAPIKeys($0, $1) }
        routes.on(.post, "api-keys", "issueAPIKey") { try await issueAPIKey($0, $1) }
        routes.on(.get, "api-keys/{apiKey}", "getAPIKey") { try await getAPIKey($0, $1) }
        routes.on(.post, "api-keys/{apiKey}/roll", "rollAPIKey") { try await rollAPIKey($0, $1) }
        routes.on(.post, "api-keys/{apiKey}/revoke", "revokeAPIKey") { try await revokeAPIKey($0, $1) }
        return routes
    }

    /// The same routes for operators' keys. These routes are below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/api-keys", "listPlatformAPIKeys") { try await listAPIKeys($0, $1) }
        routes.on(.post, "platform/api-keys", "issuePlatformAPIKey") { try await issueAPIKey($0, $1) }
        routes.on(.get, "platform/api-keys/{apiKey}", "getPlatformAPIKey") { try await getAPIKey($0, $1) }
        routes.on(.post, "platform/api-keys/{apiKey}/roll", "rollPlatformAPIKey") { try await rollAPIKey($0, $1) }
        routes.on(.post, "platform/api-keys/{apiKey}/revoke", "revokePlatformAPIKey") { try await revokeAPIKey($0, $1) }
        return routes
    }
}
