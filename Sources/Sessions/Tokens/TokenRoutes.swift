import Access
package import ClientKeys
package import Encoding
package import Hummingbird
package import Postgres
package import Tenancy
package import Web

/// The endpoints that applications and resource servers call with a code, a token or an application's secret.
package struct TokenRoutes: Sendable {
    /// Answers a grant of a target above this one, such as the token exchange of native applications (RFC 8693).
    ///
    /// The key is the one that the request proves.
    package typealias Exchange = @Sendable (Request, Form, KeyThumbprint?, TenantConfiguration, WebContext) async throws -> Response

    let endpoints: TenantEndpoints
    let tokens: Tokens
    let pool: DatabasePool
    let metrics: Metrics
    let exchange: Exchange
    /// Answers the device grant (RFC 8628).
    let device: Exchange
    var spent: SpentCredentials { tokens.spent }

    package init(tokens: Tokens, pool: DatabasePool, metrics: Metrics, exchange: @escaping Exchange, device: @escaping Exchange) {
        (self.tokens, self.pool, self.metrics, self.exchange, self.device) = (tokens, pool, metrics, exchange, device)
        endpoints = tokens.endpoints
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let oauth = routes.limited(.oauth, endpoints.limits)
        oauth.on(.post, "t/{tenant}/oauth2/token", "token", use: token)
        oauth.on(.get, "t/{tenant}/oauth2/userinfo", "userInfo", use: userInfo)
        oauth.on(.post, "t/{tenant}/oauth2/userinfo", "userInfoByPost", use: userInfo)
        oauth.on(.post, "t/{tenant}/oauth2/introspect", "introspect", use: introspect)
        oauth.on(.post, "t/{tenant}/oauth2/revoke", "revokeToken", use: revokeToken)
        oauth.on(.get, "t/{tenant}/revocations", "listRevocations", use: listRevocations)
        return routes
    }
}

/// The grant types with a name of their own.
package enum GrantType {
    /// RFC 6749, section 4.4.
    static let clientCredentials = "client_credentials"
    /// RFC 8693, section 2.1.
    package static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 8628, section 3.4.
    package static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
