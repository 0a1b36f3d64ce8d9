package import Access
package import Hummingbird
package import Postgres
import Sessions
package import Tenancy
package import Web

/// Dynamic client registration (RFC 7591; OpenID Connect Dynamic Client Registration 1.0) and its management (RFC 7592).
///
/// Software with an initial access token registers an application, in place of an administrator. The application has the same rules as one
/// of `registerApplication`. With the registration access token of the response, the client reads, replaces and deletes its registration.
/// Pages of other origins cannot call these endpoints, because an initial access token does not belong into a page.
package struct RegistrationRoutes: Sendable {
    let endpoints: TenantEndpoints
    let pool: DatabasePool
    let applications: ApplicationRoutes
    /// Whether addresses of clients may lead into private networks and do without TLS: for development.
    let allowsPrivate: Bool
    /// Replacements of a tenant's registrations. Each one can append to the audit trail, and the trail exists as long as the tenant.
    let changes: TokenBuckets<ID<Tenant>>
    /// Replacements of one client, so that no client uses up the limit of the others.
    let clientChanges: TokenBuckets<ID<Application>>
    let knownTokens = KnownTokens()

    /// The number of clients whose limits together are the limit of their tenant.
    private static let clientsAtLimit = 5

    /// The cost of a replacement. As for an API key, each 8 KiB of the body counts as one more.
    static func cost(of bytes: Int) -> Int { 1 + bytes / 8192 }

    /// - Parameter changesPerMinute: the limit of replacements by all registered clients of a tenant, in each process.
    package init(
        endpoints: TenantEndpoints, pool: DatabasePool, applications: ApplicationRoutes, allowsPrivate: Bool, changesPerMinute: Int
    ) {
        (self.endpoints, self.pool, self.applications, self.allowsPrivate) = (endpoints, pool, applications, allowsPrivate)
        changes = TokenBuckets(perMinute: changesPerMinute)
        let ofClient = max(1, changesPerMinute / Self.clientsAtLimit)
        clientChanges = TokenBuckets(perMinute: ofClient, holding: max(ofClient, Self.cost(of: ClientMetadata.largestBody)))
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let oauth = routes.limited(.oauth, endpoints.limits)
        oauth.on(.post, "t/{tenant}/oauth2/register", "registerClient", use: registerClient)
        oauth.on(.get, "t/{tenant}/oauth2/register/{client_id}", "getRegisteredClient", use: getRegisteredClient)
        oauth.on(.put, "t/{tenant}/oauth2/register/{client_id}", "updateRegisteredClient", use: updateRegisteredClient)
        oauth.on(.delete, "t/{tenant}/oauth2/register/{client_id}", "deleteRegisteredClient", use: deleteRegisteredClient)
        return routes
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "applications/{application}/registration", "getApplicationRegistration", use: getApplicationRegistration)
        routes.on(.delete, "applications/{application}/registration", "endApplicationRegistration", use: endApplicationRegistration)
        return routes
    }
}
