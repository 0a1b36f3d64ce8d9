package import Access
package import Accounts
package import Hummingbird
package import Sessions
package import SignIn
package import Tenancy
package import Web

/// Serves applications that were written for Mushu. Only their base URL changes, to `{issuer}/mushu/{client_id}`.
///
///     browser → GET  auth/apple/authorize   MushuAuthorize   Apple, then the tokens in the URL of the redirect, if the application allows it
///     device  → POST auth/apple             MushuSignIn      Apple's id_token for tokens; also auth/apple/exchange and …/callback
///     later   → POST auth/refresh           MushuRefresh     new tokens
///             → GET  auth/validate          MushuValidate    whether an access token is valid, and its user; also users/me
///             → POST auth/logout            MushuLogout      ends the session
///     tenant  → …    apps/{id}/auth-providers         the tenant's connection, with an API key
///
/// Each action translates Mushu's fields, and calls the function that does the work for the other interfaces. So sessions, tokens and
/// usage events are the same. It owns no table.
package struct MushuRoutes: Sendable {
    let endpoints: TenantEndpoints
    let tokens: Tokens
    let signIn: SignInRoutes
    let native: SignInNatively
    let notifications: NotificationRoutes
    let connections: ConnectionRoutes

    package init(
        tokens: Tokens, signIn: SignInRoutes, native: SignInNatively, notifications: NotificationRoutes, connections: ConnectionRoutes
    ) {
        self.connections = connections
        (self.tokens, self.signIn, self.native, self.notifications) = (tokens, signIn, native, notifications)
        endpoints = tokens.endpoints
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.get, "t/{tenant}/mushu/{client_id}/auth/apple/authorize", "mushuAuthorize", use: mushuAuthorize)
        let callbacks = translated(routes, .callback)
        callbacks.on(.post, "t/{tenant}/mushu/{client_id}/auth/apple/callback", "mushuCallback", use: mushuCallback)
        let calls = translated(routes, .problem)
        calls.on(.post, "t/{tenant}/mushu/{client_id}/auth/apple", "mushuSignIn", use: mushuSignIn)
        calls.on(.post, "t/{tenant}/mushu/{client_id}/auth/apple/exchange", "mushuExchange", use: mushuExchange)
        calls.on(.post, "t/{tenant}/mushu/{client_id}/auth/refresh", "mushuRefresh", use: mushuRefresh)
        calls.on(.post, "t/{tenant}/mushu/{client_id}/auth/logout", "mushuLogout", use: mushuLogout)
        calls.on(.get, "t/{tenant}/mushu/{client_id}/auth/validate", "mushuValidate", use: mushuValidate)
        calls.on(.get, "t/{tenant}/mushu/{client_id}/users/me", "mushuUser", use: mushuUser)
        calls.on(.post, "t/{tenant}/mushu/{client_id}/auth/apple/notifications", "mushuNotification", use: mushuNotification)
        return routes
    }

    /// The operations with an API key, below `t/{tenant}/mushu/{client_id}`.
    package var providerRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "apps/{app_id}/auth-providers", "mushuListProviders", use: mushuListProviders)
        routes.on(.post, "apps/{app_id}/auth-providers", "mushuCreateProvider", use: mushuCreateProvider)
        routes.on(.get, "apps/{app_id}/auth-providers/{provider_type}", "mushuGetProvider", use: mushuGetProvider)
        routes.on(.put, "apps/{app_id}/auth-providers/{provider_type}", "mushuUpdateProvider", use: mushuUpdateProvider)
        routes.on(.delete, "apps/{app_id}/auth-providers/{provider_type}", "mushuDeleteProvider", use: mushuDeleteProvider)
        return routes
    }

    /// Routes whose refusals have Mushu's form.
    private func translated(_ routes: RouteCollection<WebContext>, _ form: FailedRequestLimit.Form) -> RouterGroup<WebContext> {
        routes.group().add(middleware: TranslateErrors(endpoints: endpoints))
            .add(middleware: FailedRequestLimit(limits: endpoints.limits, form: form))
    }
}
