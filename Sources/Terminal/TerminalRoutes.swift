package import Access
package import Hummingbird
import People
package import PeopleSignIn
import Sessions
package import Web

/// The endpoints and pages for the login of people from a terminal. `TerminalGrant` has the flow.
package struct TerminalRoutes: Sendable {
    let grant: TerminalGrant
    /// The pages of people.
    let account: AccountEndpoints
    /// The name of a tenant. Nil for one that is not active.
    let tenantName: @Sendable (ID<Tenant>) async throws -> String?
    /// The wrong user codes of a person, of a network, and of all.
    let guessesOfPerson = TokenBuckets<ID<Person>>(perMinute: 10)
    let guessesOfNetwork = TokenBuckets<String>(perMinute: 10)
    let guesses = TokenBuckets<Bool>(perMinute: 120)

    package init(
        grant: TerminalGrant, account: AccountEndpoints, tenantName: @escaping @Sendable (ID<Tenant>) async throws -> String?
    ) {
        (self.grant, self.account, self.tenantName) = (grant, account, tenantName)
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
        let pages = routes.limited(.page, grant.limits)
        let (approval, device) = (Self.approvalPath, Self.devicePath)
        pages.on(.get, "account/oauth2/authorize", "authorizeTerminal", use: account.answering(authorizeTerminal))
        pages.on(.get, "account/oauth2/approval", "reviewTerminal", use: account.page(reviewTerminal))
        pages.on(.post, "account/oauth2/approval", "approveTerminal", use: account.form(on: approval, approveTerminal))
        pages.on(.post, "account/oauth2/refusal", "refuseTerminal", use: account.form(on: approval, refuseTerminal))
        pages.on(.get, "account/device", "enterTerminalCode", use: account.page(enterTerminalCode))
        pages.on(.post, "account/device", "showTerminalDevice", use: account.form(on: device, showTerminalDevice))
        pages.on(.post, "account/device/approval", "approveTerminalDevice", use: account.form(on: device, approveTerminalDevice))
        pages.on(.post, "account/device/refusal", "refuseTerminalDevice", use: account.form(on: device, refuseTerminalDevice))
        return routes
    }
}
