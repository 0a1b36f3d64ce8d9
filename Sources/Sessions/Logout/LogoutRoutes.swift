package import Hummingbird
package import Postgres
package import Signing
package import Tenancy
package import Web

/// Sign-out by the person, in the browser.
package struct LogoutRoutes: Sendable {
    let endpoints: TenantEndpoints
    let pool: DatabasePool
    let signingKeys: SigningKeys
    let spent: SpentCredentials

    package init(endpoints: TenantEndpoints, pool: DatabasePool, signingKeys: SigningKeys, spent: SpentCredentials) {
        (self.endpoints, self.pool, self.signingKeys, self.spent) = (endpoints, pool, signingKeys, spent)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.get, "t/{tenant}/oauth2/logout", "logout", use: logout)
        pages.on(.post, "t/{tenant}/oauth2/logout", "logoutByPost", use: logoutByPost)
        pages.on(.post, "t/{tenant}/oauth2/logout/confirmation", "confirmLogout", use: confirmLogout)
        return routes
    }
}
