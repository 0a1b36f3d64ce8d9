import Foundation
import Hummingbird
import Web

/// Files at fixed paths that programs look for on every host.
struct WellKnown: Sendable {
    let publicURL: String
    /// The URI for reports of vulnerabilities of this installation; nil where the setting is missing.
    let securityContact: String?
    let now: @Sendable () -> Date

    var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.on(.get, "favicon.ico", "getFavicon", use: getFavicon)
        routes.on(.get, ".well-known/security.txt", "getSecurityContact", use: getSecurityContact)
        return routes
    }
}
