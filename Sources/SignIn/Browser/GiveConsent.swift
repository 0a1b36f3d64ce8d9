import Access
import Accounts
import BrowserSessions
import Foundation
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// Records the user's consent, and continues the sign-in with the next question or a code. The same form again gets another code, and
    /// records nothing new.
    @Sendable
    func giveConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        switch try await waitingConsent(request, context) {
        case .request(let waiting): try await giveConsent(to: waiting, request, context)
        case .signIn(let held): try await giveConsent(after: held, request, context)
        }
    }

    /// Continues a request without Apple. If the sign-in of the browser no longer serves it, for example because of `max_age`, the user
    /// needs Apple.
    private func giveConsent(to waiting: WaitingRequest, _ request: Request, _ context: WebContext) async throws -> Response {
        let (asked, tenant, cookie, now) = (waiting.asked, waiting.tenant, waiting.cookie, endpoints.now())
        guard silentSignIns.take(cookie.session.uuid, at: .now).isGranted else {
            throw RedirectedError(
                .temporarilyUnavailable, "The browser signs in too often. Try again in a minute.", to: asked.returnAddress)
        }
        let (session, counts) = try await endpoints.showingOutage(.outage, context) {
            let database = OwnerDatabase(signInNatively.pool, tenant: tenant.tenant.id)
            let wanted = BrowserSession.Wanted(maxAge: asked.maxAge, consent: nil)
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

    /// Continues a sign-in with Apple. Its code ends with everything that ended since the sign-in was admitted, and not only since this form.
    private func giveConsent(after held: HeldSignIn, _ request: Request, _ context: WebContext) async throws -> Response {
        try limitAnswers(to: held)
        let (code, asked, tenant, now) = (held.code, held.asked, held.tenant.tenant, endpoints.now())
        return try await endpoints.showingOutage(.outageAtCallback, context) {
            switch try await record(code, asked.application, tenant, askedAt: held.ticket.askedAt, at: now) {
            case .given: break
            case .ended: throw ended(held)
            case .finished: throw finished(held)
            case .revoked:
                let again = try question(held.ticket.asking(.consent, at: now), of: code, to: asked.returnAddress, asked.application)
                return try await page(again, after: held, request, context)
            }
            metrics.count(.authorize, "consented")
            if held.ticket.delivery == .code, try await needsName(code.user, asked.application, tenant) {
                metrics.count(.authorize, "name")
                let next = try question(held.ticket.asking(.name, at: now), of: code, to: asked.returnAddress, asked.application)
                return try await page(next, after: held, request, context)
            }
            return asked.returnAddress.answer(
                [("code", code.issued(at: now).sealed(with: endpoints.keyring))], for: request, in: context.record.current.language)
        }
    }

    /// The next page about a sign-in with Apple. Its cookies last as long as the page.
    private func page(_ question: Question, after held: HeldSignIn, _ request: Request, _ context: WebContext) async throws -> Response {
        let cookie = AttemptCookie(held.code.login, publicURL: endpoints.publicURL)
        let cookies = held.secret.map {
            cookie.set($0, question: question.cookieValue, in: request, publicURL: endpoints.publicURL)
        }
        return try await page(question, for: held.tenant, request, context).setting(cookies ?? [])
    }

    private enum Recorded {
        case given
        /// The user was deleted or signed out since Apple's response.
        case ended
        /// The application has used a code of the sign-in.
        case finished
        /// The tenant revoked the consent after the page had asked.
        case revoked
    }

    /// Records the consent to what the code gives, if its sign-in still counts.
    private func record(
        _ code: AuthorizationCode, _ application: Application, _ tenant: Tenant, askedAt: Date, at now: Date
    ) async throws -> Recorded {
        let login = CompletedLogin(code)
        return try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).transaction { db in
            let admission = User.admit(login.user, of: tenant.id, since: login.admittedAt, unless: login.hasEnded(of: tenant.id))
            guard try await !db.run(admission).isEmpty else { return .ended }
            guard try await db.run(Session.exists(login.login, of: tenant.id)).isEmpty else { return .finished }
            // The tenant's own applications need none. It may have become one since the page.
            guard application.isThirdParty else { return .given }
            let given = try await db.run(
                Consent.give(
                    by: login.user, to: application.id, tenant.id, scope: code.scope, apis: code.apis, askedAt: askedAt, at: now))
            return given.isEmpty ? .revoked : .given
        }
    }
}
