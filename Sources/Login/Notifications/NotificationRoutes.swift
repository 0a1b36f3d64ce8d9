package import Hummingbird
package import Tenancy
import Web

extension Login {
    /// What Apple told of a tenant's users, and what became of it.
    ///
    ///     Apple  → POST …/auth/apple/notifications   ReceiveNotification   verified, kept, answered
    ///     outbox → WorkOffNotification               EndConsent, EndAccount, NoteRelay   in every tenant that knows the person
    ///     later  → EraseUsers                        profiles whose retention is over
    ///
    /// Below `/v1/tenants/{tenant}`.
    package var notificationRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "notifications", "listNotifications", use: listNotifications)
        routes.on(.get, "notifications/{notification}", "getNotification", use: getNotification)
        routes.on(.post, "notifications/{notification}/replay", "replayNotification", use: replayNotification)
        return routes
    }

    /// The shared connection's, the same way. Below `/v1`.
    package var platformNotificationRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/notifications", "listPlatformNotifications", use: listNotifications)
        routes.on(.get, "platform/notifications/{notification}", "getPlatformNotification", use: getNotification)
        routes.on(.post, "platform/notifications/{notification}/replay", "replayPlatformNotification", use: replayNotification)
        return routes
    }
}
