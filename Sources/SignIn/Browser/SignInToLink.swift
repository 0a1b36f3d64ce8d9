import Access
import Foundation
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

extension SignInRoutes {
    /// Sends the person to Apple, to sign in to the user with the same address. The new attempt has a cookie with the waiting identity. The
    /// cookies of the page stay, so that a person who comes back can still press the other button.
    @Sendable
    func signInToLink(_ request: Request, _ context: WebContext) async throws -> Response {
        let decision = try await linkDecision(.code, request, context)
        let (tenant, now) = (decision.tenant, endpoints.now())
        let address = decision.attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant))
        guard let connection = tenant.connection, tenant.appleKey != nil, connection.id == decision.attempt.connection else {
            let refusal = CallbackRefusal.connectionChanged
            throw RedirectedError(refusal.code, refusal.description, to: address)
        }
        guard !tenant.refusesLogins(at: now) else { throw ErrorPage.budgetUsedUp.leading(to: decision.application) }
        var next: LoginAttempt?
        let started = start(of: tenant, connection, request, in: request.askedLanguage) { secret in
            let attempt = decision.attempt.again(through: connection.id, browserSecret: secret, isLinking: true, at: now)
            next = attempt
            return attempt
        }
        guard let started, let next, let sealed = decision.waiting.sealed(for: next.login, with: endpoints.keyring)
        else { throw ErrorPage.linkUnreadable.leading(to: decision.application) }
        metrics.count(.authorize, "link")
        let cookie = AttemptCookie(next.login, publicURL: endpoints.publicURL)
        return .redirect(
            to: started.location, status: .found,
            cookies: AttemptCookie.removals(toMakeRoomFor: [sealed], in: request, publicURL: endpoints.publicURL) + started.cookies
                + [cookie.setWaiting(sealed)])
    }
}
