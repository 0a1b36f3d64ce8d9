package import Hummingbird
import Sessions
package import Web

/// The pages on which people sign in who manage a tenant or the platform, and on which they accept an invitation.
package struct PersonSignInRoutes: Sendable {
    let endpoints: AccountEndpoints

    package init(endpoints: AccountEndpoints) {
        self.endpoints = endpoints
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        return routes
    }
}
