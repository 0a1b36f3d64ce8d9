import Hummingbird
import Login
import Tenancy
import Usage
import Web

/// Every route of the public port: what `openapi.yaml` describes, and nothing else.
func makeRouter(login: Login, tenancy: TenancyRoutes, usage: UsageRoutes, authenticate: Authenticate, edge: (RouteMethods) -> Edge)
    -> Router<WebContext>
{
    let methods = RouteMethods()
    let router = Router(context: WebContext.self)
    router.add(middleware: edge(methods))
    router.addRoutes(login.routes)
    router.group("v1", context: CallContext.self)
        .add(middleware: authenticate)
        .group("tenants/{tenant}", context: TenantContext.self)
        .addRoutes(tenancy.routes)
        .addRoutes(usage.routes)
    methods.read(router)
    return router
}
