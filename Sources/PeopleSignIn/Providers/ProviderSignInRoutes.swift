package import Hummingbird
package import PeopleSSO
import Sessions
package import Tenancy
package import Web

/// The pages on which people sign in with another service: the provider of their tenant, or Apple.
///
///     signIn → startSSO → the provider → ssoCallback                           → a session for the tenant
///     startApple → the platform's own tenant → Apple → appleAccountCallback    → the second factor → the session
///     linkApple → the same → appleAccountCallback                              → the account at Apple is linked
///
/// Between the steps, everything is in a sealed cookie (`OIDCAttempt`).
package struct ProviderSignInRoutes: Sendable {
    let endpoints: AccountEndpoints
    /// For the states of tenants.
    let directory: TenantDirectory
    /// The documents of the providers of tenants.
    let documents: ProviderDocuments

    package init(endpoints: AccountEndpoints, directory: TenantDirectory, documents: ProviderDocuments) {
        (self.endpoints, self.directory, self.documents) = (endpoints, directory, documents)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.post, "account/sso", "startSSO", use: endpoints.answering(startSSO))
        pages.on(.get, "account/sso/callback", "ssoCallback", use: endpoints.answering(ssoCallback))
        pages.on(.post, "account/apple", "startApple", use: endpoints.stepForm(startApple))
        pages.on(.get, "account/apple/callback", "appleAccountCallback", use: endpoints.answering(appleAccountCallback))
        pages.on(.post, "account/apple/link", "linkApple", use: endpoints.form(on: "/account", linkApple))
        pages.on(.post, "account/apple/removal", "unlinkApple", use: endpoints.form(on: "/account", unlinkApple))
        return routes
    }
}
