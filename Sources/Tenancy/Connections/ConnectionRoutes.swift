package import Access
package import Apple
package import Foundation
package import Hummingbird
package import Postgres
package import Sealing
import Web

/// Manages connections to Apple and their keys, and runs the doctor.
///
///     createConnection → the doctor asks Apple → current key, or next until Apple accepts it
///     addAppleKey      → proven at Apple → next → promoteAppleKey → current; the old one is the fallback as previous
///     a login that Apple refuses with the new key → the previous one takes over, and is current again
///
/// Every change of a connection or its keys names the version that it changes (`If-Match`), and creates a new one.
package struct ConnectionRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let apple: AppleClient
    /// Where browsers and Apple reach this server, without a slash at its end.
    let publicURL: String
    /// The addresses of a tenant, from memory.
    let addresses: @Sendable (UUID) -> TenantAddresses
    /// Whether a tenant has users of another team than the given one, as a condition on two expressions.
    let hasOthers: @Sendable (_ tenant: SQL, _ team: SQL) -> SQL
    let now: @Sendable () -> Date
    /// Whether any tenant has no connection of its own.
    let isSharedConnectionInUse: @Sendable () async throws -> Bool
    /// Limits how often one owner's new keys cause a request to Apple in this process. Otherwise repeated failures of one owner could make
    /// Apple block the whole server.
    let questionsToApple = TokenBuckets<UUID>(perMinute: 30)

    package init(
        pool: DatabasePool, keyring: Keyring, apple: AppleClient, publicURL: String,
        addresses: @escaping @Sendable (UUID) -> TenantAddresses,
        hasOthers: @escaping @Sendable (_ tenant: SQL, _ team: SQL) -> SQL, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.apple, self.publicURL, self.addresses) = (pool, keyring, apple, publicURL, addresses)
        (self.hasOthers, self.now) = (hasOthers, now)
        let allTenants = PlatformDatabase(pool, for: .useOfSharedConnection)
        isSharedConnectionInUse = {
            let found = try await allTenants.run(
                "SELECT EXISTS (SELECT FROM tenant WHERE connection_id IS NULL AND status <> 'purged') AS used")
            return try found.first { try $0.get("used", as: Bool.self) } ?? false
        }
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "connections", "listConnections", use: listConnections)
        routes.on(.post, "connections", "createConnection", use: createConnection)
        routes.on(.get, "connections/{connection}", "getConnection", use: getConnection)
        routes.on(.patch, "connections/{connection}", "updateConnection", use: updateConnection)
        routes.on(.delete, "connections/{connection}", "deleteConnection", use: deleteConnection)
        routes.on(.post, "connections/{connection}/check", "checkConnection", use: checkConnection)
        routes.on(.get, "connections/{connection}/apple-keys", "listAppleKeys", use: listAppleKeys)
        routes.on(.post, "connections/{connection}/apple-keys", "addAppleKey", use: addAppleKey)
        routes.on(.post, "connections/{connection}/apple-keys/{appleKey}/promote", "promoteAppleKey", use: promoteAppleKey)
        routes.on(.post, "connections/{connection}/apple-keys/{appleKey}/retire", "retireAppleKey", use: retireAppleKey)
        routes.on(.post, "connections/{connection}/activate", "activateConnection", use: activateConnection)
        routes.on(.post, "shared-connection/activate", "activateSharedConnection", use: activateSharedConnection)
        return routes
    }

    /// The same routes for the shared connection. These routes are below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/connection", "getPlatformConnection", use: getConnection)
        routes.on(.post, "platform/connection", "createPlatformConnection", use: createConnection)
        routes.on(.patch, "platform/connection", "updatePlatformConnection", use: updateConnection)
        routes.on(.delete, "platform/connection", "deletePlatformConnection", use: deleteConnection)
        routes.on(.post, "platform/connection/check", "checkPlatformConnection", use: checkConnection)
        routes.on(.get, "platform/connection/apple-keys", "listPlatformAppleKeys", use: listAppleKeys)
        routes.on(.post, "platform/connection/apple-keys", "addPlatformAppleKey", use: addAppleKey)
        routes.on(.post, "platform/connection/apple-keys/{appleKey}/promote", "promotePlatformAppleKey", use: promoteAppleKey)
        routes.on(.post, "platform/connection/apple-keys/{appleKey}/retire", "retirePlatformAppleKey", use: retireAppleKey)
        return routes
    }
}
