import Access
import BrowserSessions
import Foundation
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

/// A sign-in that waits for the name of its user, in the browser that the page asked.
struct UnnamedSignIn {
    let code: AuthorizationCode
    let question: NameQuestion
    /// The request that led to the sign-in.
    let asked: AuthorizationRequest
    let tenant: TenantConfiguration
    /// The cookie of the session that signed the user in. Nil after a sign-in with Apple.
    let cookie: BrowserCookie?
    /// When the page asked.
    let askedAt: Date
    let form: PageForm
}

extension SignInRoutes {
    /// Opens the form of the page that asks for a name.
    /// - Throws: an `ErrorPage` unless the page of this browser sends it, within 15 minutes.
    func unnamedSignIn(_ request: Request, _ context: WebContext) async throws -> UnnamedSignIn {
        let form = try await pageForm(request, context, orThrow: .nameUnreadable)
        let tenant = form.tenant
        let (sealed, login) = (form["ticket"] ?? "", form["login"] ?? "")
        let ticket: NameTicket
        do throws(NameTicket.Refusal) {
            ticket = try NameTicket(opening: sealed, of: tenant.tenant.id, with: endpoints.keyring, at: endpoints.now())
        } catch {
            switch error {
            case .unreadable: throw ErrorPage.nameUnreadable
            case .expired(let application):
                throw tenant.applications[application].map(ErrorPage.attemptExpired.leading(to:)) ?? .attemptExpired
            }
        }
        guard let application = tenant.applications[ticket.application] else { throw ErrorPage.nameUnreadable }
        guard let code = try? AuthorizationCode(opening: login, onPage: ticket.page, with: endpoints.keyring),
            code.tenant == ticket.tenant, code.application == ticket.application, code.login == ticket.login,
            let address = ticket.returnAddress(of: application, state: form.state, issuer: endpoints.issuer(tenant.tenant))
        else { throw ErrorPage.nameUnreadable.leading(to: application) }
        let cookie = ticket.isSilent ? browserCookie(of: code, tenant.tenant, request) : nil
        // Otherwise an attacker could sign another person in as the attacker.
        guard cookie != nil || ticket.isForBrowser(with: AttemptCookie(ticket.login, publicURL: endpoints.publicURL).values(in: request))
        else { throw ErrorPage.otherBrowser.leading(to: application) }
        return UnnamedSignIn(
            code: code, question: NameQuestion(ticket: sealed, login: login, application: application, address: address),
            asked: AuthorizationRequest(before: code, from: application, at: address, maxAge: ticket.maxAge), tenant: tenant,
            cookie: cookie, askedAt: ticket.askedAt, form: form)
    }

    /// The cookie of the session that signed the user of a code in. Nil if the browser does not have it.
    private func browserCookie(of code: AuthorizationCode, _ tenant: Tenant, _ request: Request) -> BrowserCookie? {
        guard tenant.settings.singleSignOn,
            let cookie = BrowserCookie(in: request, of: tenant, publicURL: endpoints.publicURL, with: endpoints.keyring),
            cookie.session == code.browser?.session, cookie.user == code.user
        else { return nil }
        return cookie
    }
}

extension ErrorPage {
    static let nameUnreadable = ErrorPage(
        outcome: "name_unreadable", status: .badRequest, title: .requestCannotBeRead, detail: .parameterIsMalformed, remedy: .startAgain)
}
