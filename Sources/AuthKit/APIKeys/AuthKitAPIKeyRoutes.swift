package import Access
package import Hummingbird
package import Postgres
package import Tenancy
import Web

/// The API keys of a tenant in WorkOS's interface. The caller's key names the tenant.
package struct AuthKitAPIKeyRoutes: Sendable {
    let pool: DatabasePool
    let keys: APIKeyRoutes
    let callers: Callers
    let endpoints: TenantEndpoints

    package init(pool: DatabasePool, keys: APIKeyRoutes, callers: Callers, endpoints: TenantEndpoints) {
        (self.pool, self.keys, self.callers, self.endpoints) = (pool, keys, callers, endpoints)
    }

    /// The operation that changes nothing although its method is POST. An application calls it for each request of its own customers, so it
    /// must not count as a change, and an `Idempotency-Key` has no effect.
    package var validationRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "api_keys/validations", "authKitValidateAPIKey", use: authKitValidateAPIKey)
        return routes
    }

    package var keyRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.delete, "api_keys/{authKitKey}", "authKitDeleteAPIKey", use: authKitDeleteAPIKey)
        routes.on(.post, "api_keys/{authKitKey}/expire", "authKitExpireAPIKey", use: authKitExpireAPIKey)
        routes.on(.get, "organizations/{organization}/api_keys", "authKitListAPIKeys", use: authKitListAPIKeys)
        routes.on(.post, "organizations/{organization}/api_keys", "authKitCreateAPIKey", use: authKitCreateAPIKey)
        return routes
    }
}

extension TenantContext {
    /// Checks that the organization in the path is the caller's.
    func requireOwnOrganization() throws {
        guard parameters.get("organization").flatMap(WorkOSID.tenant) == tenant else { throw Problem.notFound("organization") }
    }
}
