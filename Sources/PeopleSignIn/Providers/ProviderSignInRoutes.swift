import Access
import ClientKeys
import Encoding
import Foundation
package import Hummingbird
import Pages
import People
package import PeopleSSO
import Postgres
import Sealing
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

extension AccountEndpoints {
    /// The attempt that a response belongs to. It is used up, so that no response counts twice.
    /// - Returns: nil for a response to no attempt of this browser: a forged one, of another browser, too late, or repeated.
    func attempt(_ request: Request, _ query: Form, for purposes: Set<OIDCAttempt.Purpose>) async throws -> OIDCAttempt? {
        guard let state = query["state"], state.utf8.count <= 100 else { return nil }
        let attempt = AccountCookie.provider.values(in: request, publicURL: publicURL).lazy
            .compactMap { OIDCAttempt(sealed: $0, with: keyring, at: now()) }
            .first { constantTimeEqual(Array($0.state.utf8), Array(state.utf8)) }
        guard let attempt, purposes.contains(attempt.purpose) else { return nil }
        let end = attempt.startedAt.addingTimeInterval(OIDCAttempt.lifetime)
        let isNew = try await !people.run(SingleUses.insertIfNew(attempt.digest, of: ID(UUID.platform), until: end)).isEmpty
        return isNew ? attempt : nil
    }

    /// The cookie that ends an attempt.
    var attemptRemoval: String { AccountCookie.provider.removal(publicURL) }
}

extension ErrorPage {
    static let responseBelongsToNoAttempt = ErrorPage(
        outcome: "no_attempt", status: .badRequest, title: .signInDidNotFinish, detail: .responseBelongsToNoSignIn,
        remedy: .openThePageAgain)
}
