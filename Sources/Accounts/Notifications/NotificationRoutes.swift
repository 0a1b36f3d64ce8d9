package import Access
package import Apple
package import Foundation
package import Hummingbird
package import Logging
package import Postgres
package import Sealing
import Sessions
package import Tenancy
package import Web

/// The routes of Apple's notifications and their outcomes, below `/v1/tenants/{tenant}`.
///
///     Apple  → POST …/auth/apple/notifications   ReceiveNotification   verify, store, respond
///     outbox → ProcessNotification               EndConsent, EndAccount, NoteRelay   in every tenant that knows the person
///     later  → EraseUsers                        profiles whose retention is over
package struct NotificationRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let apple: AppleClient
    let endpoints: TenantEndpoints
    let metrics: Metrics
    let logger: Logger
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, keyring: Keyring, apple: AppleClient, endpoints: TenantEndpoints, metrics: Metrics, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.apple, self.endpoints, self.metrics, self.logger, self.now) = (
            pool, keyring, apple, endpoints, metrics, logger, now
        )
    }

    /// For Apple.
    package var appleRoutes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let others = routes.limited(.problem, endpoints.limits)
        others.on(.post, "t/{tenant}/auth/apple/notifications", "receiveNotification", use: receiveNotification)
        others.on(.post, "auth/apple/notifications", "receiveSharedNotification", use: receiveSharedNotification)
        return routes
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "notifications", "listNotifications", use: listNotifications)
        routes.on(.get, "notifications/{notification}", "getNotification", use: getNotification)
        routes.on(.post, "notifications/{notification}/replay", "replayNotification", use: replayNotification)
        return routes
    }

    /// The routes of the shared connection's notifications, below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/notifications", "listPlatformNotifications", use: listNotifications)
        routes.on(.get, "platform/notifications/{notification}", "getPlatformNotification", use: getNotification)
        routes.on(.post, "platform/notifications/{notification}/replay", "replayPlatformNotification", use: replayNotification)
        return routes
    }
}
