package import Access
package import Devices
package import Hummingbird
package import Postgres
package import Sessions
package import SignIn
package import Signing
package import Tenancy
package import Web

/// The sign-in of an application that was written for WorkOS AuthKit. Each action translates its parameters and calls the functions that
/// serve Espalier's own interface.
///
///     application → GET  /user_management/authorize       AuthKitAuthorize      as SignIn's Authorize
///                 → 302  Apple, then back to redirect_uri with the code
///     application → POST /user_management/authenticate    AuthKitAuthenticate   session and usage event, one transaction
///                 → 200  user and tokens
///     device      → POST /user_management/authorize/device AuthKitAuthorizeDevice  then authenticate, as Devices' DeviceGrant
///     application → GET  /sso/jwks/{client_id}            AuthKitJWKS           verifies the access token
///     browser     → GET  /user_management/sessions/logout AuthKitLogout
package struct AuthKitSignInRoutes: Sendable {
    let endpoints: TenantEndpoints
    let signIn: SignInRoutes
    let tokens: Tokens
    let devices: DeviceGrant
    let signingKeys: SigningKeys
    let callers: Callers
    let lastUsed: LastUsed
    let pool: DatabasePool
    let metrics: Metrics

    package init(
        endpoints: TenantEndpoints, signIn: SignInRoutes, tokens: Tokens, devices: DeviceGrant, signingKeys: SigningKeys, callers: Callers,
        lastUsed: LastUsed, pool: DatabasePool, metrics: Metrics
    ) {
        (self.endpoints, self.signIn, self.tokens, self.signingKeys) = (endpoints, signIn, tokens, signingKeys)
        self.devices = devices
        (self.callers, self.lastUsed, self.pool, self.metrics) = (callers, lastUsed, pool, metrics)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = answers(routes, .page)
        pages.on(.get, "user_management/authorize", "authKitAuthorize", use: authKitAuthorize)
        pages.on(.get, "user_management/sessions/logout", "authKitLogout", use: authKitLogout)
        let oauth = answers(routes, .oauth)
        oauth.on(.post, "user_management/authenticate", "authKitAuthenticate", use: authKitAuthenticate)
        oauth.on(.post, "user_management/authorize/device", "authKitAuthorizeDevice", use: authKitAuthorizeDevice)
        answers(routes, .problem).on(.get, "sso/jwks/{clientID}", "authKitJWKS", use: authKitJWKS)
        return routes
    }

    private func answers(_ routes: RouteCollection<WebContext>, _ form: FailedRequestLimit.Form) -> RouterGroup<WebContext> {
        routes.group().add(middleware: WorkOSAnswers()).add(middleware: FailedRequestLimit(limits: endpoints.limits, form: form))
    }
}
