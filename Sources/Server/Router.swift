import Access
import Accounts
import Billing
import Delivery
import Hummingbird
import Ledger
import Sessions
import SignIn
import Signing
import Sinks
import Tenancy
import Users
import Web

/// All routes of the public port: the operations of `openapi.yaml`, and no others.
func makeRouter(
    _ routes: Routes, authenticate: Authenticate, idempotency: Idempotency, crossOrigin: CrossOrigin, edge: (RouteMethods) -> Edge
) -> ActionRouter {
    let methods = RouteMethods()
    let router = ActionRouter(Router(context: WebContext.self, options: .autoGenerateHeadEndpoints))
    router.add(middleware: edge(methods))
    router.add(middleware: crossOrigin)
    // Browsers, applications and Apple.
    router.addRoutes(routes.signIn.routes)
    router.addRoutes(routes.tokens.routes)
    router.addRoutes(routes.logout.routes)
    router.addRoutes(routes.users.personRoutes)
    router.addRoutes(routes.notifications.appleRoutes)
    router.addRoutes(routes.discovery.routes)
    router.addRoutes(routes.pricing.publicRoutes)
    router.addRoutes(routes.wellKnown.routes)
    // The REST API.
    let v1 = router.group("v1", context: CallContext.self).add(middleware: authenticate).add(middleware: idempotency)
    v1.group(context: PlatformContext.self)
        .addRoutes(routes.tenants.platformRoutes)
        .addRoutes(routes.connections.platformRoutes)
        .addRoutes(routes.apiKeys.platformRoutes)
        .addRoutes(routes.audit.platformRoutes)
        .addRoutes(routes.notifications.platformRoutes)
        .addRoutes(routes.statements.platformRoutes)
        .addRoutes(routes.pricing.platformRoutes)
        .addRoutes(routes.usage.platformRoutes)
        .addRoutes(routes.usageSink.platformRoutes)
    v1.group(context: KeyContext.self)
        .addRoutes(routes.pricing.keyRoutes)
        .addRoutes(routes.exports.keyRoutes)
    v1.group("tenants/{tenant}", context: TenantContext.self)
        .addRoutes(routes.tenants.tenantRoutes)
        .addRoutes(routes.applications.tenantRoutes)
        .addRoutes(routes.connections.tenantRoutes)
        .addRoutes(routes.transfers.tenantRoutes)
        .addRoutes(routes.users.tenantRoutes)
        .addRoutes(routes.sessions.tenantRoutes)
        .addRoutes(routes.signingKeys.tenantRoutes)
        .addRoutes(routes.notifications.tenantRoutes)
        .addRoutes(routes.apiKeys.tenantRoutes)
        .addRoutes(routes.audit.tenantRoutes)
        .addRoutes(routes.webhooks.tenantRoutes)
        .addRoutes(routes.usage.tenantRoutes)
        .addRoutes(routes.statements.tenantRoutes)
        .addRoutes(routes.pricing.tenantRoutes)
        .addRoutes(routes.budgets.tenantRoutes)
        .addRoutes(routes.usageSink.tenantRoutes)
    methods.read(router.actions)
    return router
}
