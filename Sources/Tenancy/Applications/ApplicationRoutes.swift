package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Manages a tenant's applications and their secrets.
///
/// The kind of an application never changes. Registration and changes use the same rules for combinations of fields
/// (`Application.misfits`). A confidential application gets a secret. A roll has an overlap, in which two secrets are valid. Every change
/// takes effect within 1 s, because triggers on the rows notify each process.
package struct ApplicationRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// Whether webhooks may lead into private networks and do without TLS: for development.
    let allowsPrivateWebhooks: Bool
    let now: @Sendable () -> Date
    /// The statement that ends the sessions of an application.
    let endSessions: @Sendable (ID<Application>, ID<Tenant>, Date) -> SQL
    /// Makes sure that a tenant has a key of this kind to sign tokens with. A new key can take a second.
    package let prepareSigning: @Sendable (Application.SigningAlgorithm, ID<Tenant>) async throws -> Void

    package init(
        pool: DatabasePool, keyring: Keyring, allowsPrivateWebhooks: Bool, now: @escaping @Sendable () -> Date,
        endSessions: @escaping @Sendable (ID<Application>, ID<Tenant>, Date) -> SQL,
        prepareSigning: @escaping @Sendable (Application.SigningAlgorithm, ID<Tenant>) async throws -> Void
    ) {
        (self.pool, self.keyring, self.allowsPrivateWebhooks) = (pool, keyring, allowsPrivateWebhooks)
        (self.now, self.endSessions, self.prepareSigning) = (now, endSessions, prepareSigning)
    }

    /// These routes are below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.post, "applications", "registerApplication", use: registerApplication)
        routes.on(.get, "applications", "listApplications", use: listApplications)
        routes.on(.get, "applications/{application}", "getApplication", use: getApplication)
        routes.on(.patch, "applications/{application}", "updateApplication", use: updateApplication)
        routes.on(.delete, "applications/{application}", "deleteApplication", use: deleteApplication)
        routes.on(.get, "applications/{application}/secrets", "listApplicationSecrets", use: listApplicationSecrets)
        routes.on(.post, "applications/{application}/secrets/roll", "rollApplicationSecret", use: rollApplicationSecret)
        routes.on(.delete, "applications/{application}/secrets/{secret}", "revokeApplicationSecret", use: revokeApplicationSecret)
        return routes
    }
}
