import Access
import Accounts
import Apple
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
    /// Saves the name of a user who has none, and continues the sign-in with a code.
    ///
    /// The same form again gets another code of the same login until the application has used one, because a response can be lost. The
    /// first name stays. The code ends with everything that ended since the sign-in was admitted, and not only since this form.
    @Sendable
    func giveName(_ request: Request, _ context: WebContext) async throws -> Response {
        let waiting = try await unnamedSignIn(request, context)
        let (code, asked, tenant, now) = (waiting.code, waiting.asked, waiting.tenant.tenant, endpoints.now())
        guard silentSignIns.take(code.browser?.session.uuid ?? code.login.uuid, at: .now).isGranted else {
            throw RedirectedError(
                .temporarilyUnavailable, "The browser sent the name too often. Try again in a minute.", to: asked.returnAddress)
        }
        return try await endpoints.showingOutage(.outageAtCallback, context) {
            let (given, family) = (waiting.form["given_name"], waiting.form["family_name"])
            let name = AppleUser(givenName: given, familyName: family)
            // Perhaps another page has asked since then, or the application no longer requires a name.
            if name == nil, try await needsName(code.user, asked.application, tenant) {
                context.record.note(outcome: "name_missing")
                return page(
                    waiting.question, for: waiting.tenant, request, context, refused: .init(given: given ?? "", family: family ?? ""))
            }
            guard let cookies = try await useBrowserSession(of: waiting, at: now), try await save(name, of: waiting, at: now) else {
                metrics.count(.authorize, CallbackRefusal.userEnded.outcome)
                throw RedirectedError(.accessDenied, Self.endedMeanwhile, to: asked.returnAddress)
            }
            metrics.count(.authorize, "named")
            return asked.returnAddress.answer(
                [("code", code.issued(at: now).sealed(with: endpoints.keyring))], for: request, cookies: cookies)
        }
    }

    /// Uses the session of the browser, if it signed the user in. Its limits and the rules for its cookie apply as at a silent sign-in.
    /// - Returns: the cookies of the response. Nil if the session no longer serves the request.
    private func useBrowserSession(of waiting: UnnamedSignIn, at now: Date) async throws -> [String]? {
        guard let cookie = waiting.cookie else { return [] }
        let (asked, tenant) = (waiting.asked, waiting.tenant.tenant)
        // The page was the response to a request that satisfied max_age. The time on the page does not count.
        let wanted = BrowserSession.Wanted(
            maxAge: nil, acquaintance: asked.application.isThirdParty ? acquaintance(of: cookie.user, asked, tenant) : nil)
        let used = BrowserSession.use(cookie, of: tenant, wanted, at: now)
        guard let session = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).run(used).first(BrowserSession.init) else {
            _ = try await unusableState(of: cookie, wanted, by: asked.application.id, tenant, at: now)
            return nil
        }
        return successor(of: cookie, session, for: tenant, at: now)
    }

    /// - Returns: whether the sign-in still counts.
    /// - Throws: an `ErrorPage` if the application has used a code of the sign-in.
    private func save(_ name: AppleUser?, of waiting: UnnamedSignIn, at now: Date) async throws -> Bool {
        let (login, tenant) = (CompletedLogin(waiting.code), waiting.tenant.tenant.id)
        let ended = hasEnded(login, waiting)
        var statements = Statements([])
        if let name { _ = statements.append(User.setName(name, of: login.user, tenant, since: login.admittedAt, unless: ended, at: now)) }
        let admission = statements.append(User.admit(login.user, of: tenant, since: login.admittedAt, unless: ended))
        let use = statements.append(Session.exists(login.login, of: tenant))
        let found = try await OwnerDatabase(signInNatively.pool, tenant: tenant).repeatable.run(statements)
        guard !found[admission].isEmpty else { return false }
        guard found[use].isEmpty else {
            metrics.count(.authorize, ErrorPage.signInFinished.outcome)
            throw ErrorPage.signInFinished.leading(to: waiting.asked.application)
        }
        return true
    }

    /// Whether the sign-in has ended, or its consent was revoked since the page, as a condition.
    private func hasEnded(_ login: CompletedLogin, _ waiting: UnnamedSignIn) -> SQL {
        let (application, tenant) = (waiting.asked.application, waiting.tenant.tenant.id)
        let ended = login.hasEnded(of: tenant)
        guard application.isThirdParty else { return ended }
        let revoked = Consent.revoked(since: "\(waiting.askedAt)", of: login.user, application.id, tenant)
        return "(\(part: ended) OR EXISTS (\(part: revoked)))"
    }

    private static let endedMeanwhile =
        "The user no longer exists, was signed out, or lost the consent to the application during the sign-in."
}
