import Hummingbird
import Login
import Tenancy
import Usage
import Web

/// Every route of the public port: what `openapi.yaml` describes, and nothing else.
func makeRouter(
    wellKnown: WellKnown, login: Login, tenancy: TenancyRoutes, usage: UsageRoutes, authenticate: Authenticate, idempotency: Idempotency,
    edge: (RouteMethods) -> Edge
) -> ActionRouter {
    let methods = RouteMethods()
    let router = ActionRouter(Router(context: WebContext.self, options: .autoGenerateHeadEndpoints))
    router.add(middleware: edge(methods))
    router.add(middleware: login.crossOrigin)
    router.addRoutes(login.routes)
    router.addRoutes(usage.publicRoutes)
    router.addRoutes(wellKnown.routes)
    let v1 = router.group("v1", context: CallContext.self).add(middleware: authenticate).add(middleware: idempotency)
    v1.group(context: PlatformContext.self)
        .addRoutes(tenancy.platformTenantRoutes)
        .addRoutes(tenancy.platformConnectionRoutes)
        .addRoutes(tenancy.platformAPIKeyRoutes)
        .addRoutes(tenancy.platformAuditRoutes)
        .addRoutes(login.platformNotificationRoutes)
        .addRoutes(usage.platformRoutes)
        .addRoutes(usage.sinkRoutes)
    v1.group(context: KeyContext.self)
        .addRoutes(usage.keyRoutes)
    v1.group("tenants/{tenant}", context: TenantContext.self)
        .addRoutes(tenancy.tenantRoutes)
        .addRoutes(tenancy.applicationRoutes)
        .addRoutes(tenancy.connectionRoutes)
        .addRoutes(login.transferRoutes)
        .addRoutes(login.userRoutes)
        .addRoutes(login.signingKeyRoutes)
        .addRoutes(login.notificationRoutes)
        .addRoutes(tenancy.apiKeyRoutes)
        .addRoutes(tenancy.auditRoutes)
        .addRoutes(tenancy.webhookRoutes)
        .addRoutes(usage.tenantRoutes)
        .addRoutes(usage.sinkCustomerRoutes)
    methods.read(router.actions)
    return router
}
