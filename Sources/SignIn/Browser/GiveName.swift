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
        let held = try await unnamedSignIn(request, context)
        let (code, asked, tenant, now) = (held.code, held.asked, held.tenant.tenant, endpoints.now())
        try limitAnswers(to: held)
        return try await endpoints.showingOutage(.outageAtCallback, context) {
            let (given, family) = (held.form["given_name"], held.form["family_name"])
            let name = AppleUser(givenName: given, familyName: family)
            // Perhaps another page has asked since then, or the application no longer requires a name.
            if name == nil, try await needsName(code.user, asked.application, tenant) {
                context.record.note(outcome: "name_missing")
                return namePage(
                    held.question, for: held.tenant, request, context, refused: .init(given: given ?? "", family: family ?? ""))
            }
            guard let cookies = try await useBrowserSession(of: held, at: now), try await save(name, of: held, at: now)
            else { throw ended(held) }
            metrics.count(.authorize, "named")
            return asked.returnAddress.answer(
                [("code", code.issued(at: now).sealed(with: endpoints.keyring))], for: request, cookies: cookies)
        }
    }

    /// Uses the session of the browser, if it signed the user in. Its limits and the rules for its cookie apply as at a silent sign-in.
    /// - Returns: the cookies of the response. Nil if the session no longer serves the request.
    private func useBrowserSession(of held: HeldSignIn, at now: Date) async throws -> [String]? {
        guard let cookie = held.cookie else { return [] }
        let (asked, tenant) = (held.asked, held.tenant.tenant)
        // The page was the response to a request that satisfied max_age. The time on the page does not count.
        let wanted = BrowserSession.Wanted(maxAge: nil, consent: requiredConsent(of: cookie.user, asked, tenant))
        let used = BrowserSession.use(cookie, of: tenant, wanted, at: now)
        guard let session = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).run(used).first(BrowserSession.init) else {
            _ = try await unusableState(of: cookie, wanted, by: asked.application.id, tenant, at: now)
            return nil
        }
        return successor(of: cookie, session, for: tenant, at: now)
    }

    /// - Returns: whether the sign-in still counts.
    /// - Throws: an `ErrorPage` if the application has used a code of the sign-in.
    private func save(_ name: AppleUser?, of held: HeldSignIn, at now: Date) async throws -> Bool {
        let (login, tenant) = (CompletedLogin(held.code), held.tenant.tenant.id)
        let ended = hasEnded(login, held)
        var statements = Statements([])
        if let name { _ = statements.append(User.setName(name, of: login.user, tenant, since: login.admittedAt, unless: ended, at: now)) }
        let admission = statements.append(User.admit(login.user, of: tenant, since: login.admittedAt, unless: ended))
        let use = statements.append(Session.exists(login.login, of: tenant))
        let found = try await OwnerDatabase(signInNatively.pool, tenant: tenant).repeatable.run(statements)
        guard !found[admission].isEmpty else { return false }
        guard found[use].isEmpty else { throw finished(held) }
        return true
    }

    /// Whether the sign-in has ended, or the user does not allow the application of a third party, as a condition.
    private func hasEnded(_ login: CompletedLogin, _ held: HeldSignIn) -> SQL {
        let ended = login.hasEnded(of: held.tenant.tenant.id)
        guard let consent = requiredConsent(of: login.user, held.asked, held.tenant.tenant) else { return ended }
        return "(\(part: ended) OR NOT EXISTS (\(part: consent)))"
    }
}
