package import Hummingbird
import Sessions
package import Web

/// The endpoints for the login of people from a terminal. `TerminalGrant` has the flow.
package struct TerminalRoutes: Sendable {
    let grant: TerminalGrant

    package init(grant: TerminalGrant) {
        self.grant = grant
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let documents = routes.limited(.problem, grant.limits)
        documents.on(.get, "account/.well-known/oauth-authorization-server", "terminalMetadata", use: terminalMetadata)
        // RFC 8414, section 3: the well-known part precedes the issuer's path.
        documents.on(.get, ".well-known/oauth-authorization-server/account", "terminalMetadataAtRoot", use: terminalMetadata)
        let oauth = routes.limited(.oauth, grant.limits)
        oauth.on(.post, "account/oauth2/token", "terminalToken", use: terminalToken)
        oauth.on(.post, "account/oauth2/device_authorization", "authorizeTerminalDevice", use: authorizeTerminalDevice)
        oauth.on(.post, "account/oauth2/revoke", "revokeTerminal", use: revokeTerminal)
        return routes
    }
}
