import Access
import Accounts
import APIs
import Encoding
import Foundation
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

extension SignInRoutes {
    /// Sends the browser of a person who adds an Apple Account (`addOwnIdentity`) to Apple. A cookie of the attempt carries the ticket.
    @Sendable
    func signInForIdentity(_ request: Request, _ context: WebContext) async throws -> Response {
        let (form, now) = (try endpoints.browserQuery(request), endpoints.now())
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        guard let ticket = IdentityTicket(opening: form["ticket"] ?? "", of: tenant.tenant.id, with: endpoints.keyring, at: now)
        else { throw ErrorPage.linkUnreadable }
        guard let application = tenant.applications[ticket.requester.application] else { throw ErrorPage.unknownApplication }
        guard application.mayRedirect(to: ticket.redirectURI) else {
            throw ErrorPage.redirectURINotRegistered(ticket.redirectURI, of: application, issuer: endpoints.issuer(tenant.tenant))
        }
        guard request.isTopLevelNavigation else { throw ErrorPage.embedded.leading(to: application) }
        let address = ReturnAddress(
            redirectURI: ticket.redirectURI, mode: .query, state: ticket.state, issuer: endpoints.issuer(tenant.tenant))
        guard !application.isThirdParty else {
            throw RedirectedError(CallbackRefusal.thirdParty.code, CallbackRefusal.thirdParty.description, to: address)
        }
        guard let connection = tenant.connection, tenant.appleKey != nil else {
            throw RedirectedError(.serverError, "Sign in with Apple is not set up for this tenant yet.", to: address)
        }
        let asked = AuthorizationRequest(
            of: application, at: address, scope: "openid", apis: [], nonce: nil, codeChallenge: nil, key: nil, maxAge: nil)
        var attempt: LoginAttempt?
        let started = start(of: tenant, connection, request, in: request.askedLanguage) { secret in
            let new = LoginAttempt(
                asked, delivering: .identity, tenant: tenant.tenant.id, connection: connection.id, browserSecret: secret,
                atHost: tenant.tenant.addresses.current, at: now)
            attempt = new
            return new
        }
        guard let started, let attempt else { throw ErrorPage.linkUnreadable.leading(to: application) }
        metrics.count(.authorize, "identity")
        let cookie = AttemptCookie(attempt.login, publicURL: endpoints.publicURL)
        let sealed = ticket.sealed(for: attempt.login, with: endpoints.keyring)
        return .redirect(
            to: started.location, status: .found,
            cookies: AttemptCookie.removals(toMakeRoomFor: [sealed], in: request, publicURL: endpoints.publicURL) + started.cookies
                + [cookie.setWaiting(sealed)])
    }

    /// The ticket of an attempt that adds an Apple Account.
    func identityTicket(of attempt: LoginAttempt, _ sent: AttemptCookie.Sent, at now: Date) -> IdentityTicket? {
        sent.waiting.lazy.compactMap {
            IdentityTicket(opening: $0, for: attempt.login, of: attempt.tenant, with: self.endpoints.keyring, at: now)
        }.first
    }
}
