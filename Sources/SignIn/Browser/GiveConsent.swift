import Access
import Accounts
import BrowserSessions
import Foundation
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Web

extension SignInRoutes {
    /// Records the user's consent, and continues the sign-in with a code. The same form again gets another code, and records nothing new.
    ///
    /// If the sign-in of the browser no longer serves the request, for example because of `max_age`, the user needs Apple.
    @Sendable
    func giveConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        let waiting = try await waitingRequest(request, context)
        let (asked, tenant, cookie, now) = (waiting.asked, waiting.tenant, waiting.cookie, endpoints.now())
        guard silentSignIns.take(cookie.session.uuid, at: .now).isGranted else {
            throw RedirectedError(
                .temporarilyUnavailable, "The browser signs in too often. Try again in a minute.", to: asked.returnAddress)
        }
        let (session, counts) = try await endpoints.showingOutage(.outage, context) {
            let database = OwnerDatabase(signInNatively.pool, tenant: tenant.tenant.id)
            let wanted = BrowserSession.Wanted(maxAge: asked.maxAge, acquaintance: nil)
            let session = try await database.run(BrowserSession.use(cookie, of: tenant.tenant, wanted, at: now)).first(BrowserSession.init)
            guard let session else {
                _ = try await unusableState(of: cookie, wanted, by: asked.application.id, tenant.tenant, at: now)
                return (BrowserSession?.none, false)
            }
            let given = try await database.run(
                Consent.give(
                    by: session.user, to: asked.application.id, tenant.tenant.id, scope: asked.scope, apis: asked.apis,
                    askedAt: waiting.askedAt, at: now))
            return (session, !given.isEmpty)
        }
        // The tenant revoked the consent after the page had asked.
        if session != nil, !counts, let page = try await askForConsent(asked, cookie, for: tenant, request, context) { return page }
        guard let session, let connection = tenant.connection else {
            return try begin(
                asked, delivering: .code, for: tenant, request, earlierSession: cookie.session, language: request.askedLanguage)
        }
        metrics.count(.authorize, "consented")
        return try await silentAnswer(to: asked, session, cookie, connection, for: tenant, request, context, at: now)
    }
}
