import Foundation
import Hummingbird
import Web

/// Files at fixed paths that programs request from every host.
struct WellKnown: Sendable {
    let publicURL: String
    /// The URI for vulnerability reports of this installation; nil without a setting.
    let securityContact: String?
    let now: @Sendable () -> Date

    var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.on(.get, "favicon.ico", "getFavicon", use: getFavicon)
        routes.on(.get, ".well-known/security.txt", "getSecurityContact", use: getSecurityContact)
        return routes
    }
}
