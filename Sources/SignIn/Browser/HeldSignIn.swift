import Access
import BrowserSessions
import Foundation
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

/// A sign-in that waits for an answer of the person, in the browser that the page asked.
struct HeldSignIn {
    let code: AuthorizationCode
    let ticket: QuestionTicket
    let question: Question
    /// The request that led to the sign-in.
    let asked: AuthorizationRequest
    let tenant: TenantConfiguration
    /// The cookie of the session that signed the user in. Nil after a sign-in with Apple.
    let cookie: BrowserCookie?
    /// The value of the cookie of the login attempt. Nil after a silent sign-in.
    let secret: String?
    let form: PageForm
}

extension SignInRoutes {
    /// Opens the form of the page that asks for a name.
    func unnamedSignIn(_ request: Request, _ context: WebContext) async throws -> HeldSignIn {
        try heldSignIn(.name, in: try await pageForm(request, context, orThrow: QuestionTicket.Page.name.unreadable), request)
    }

    /// Opens the form of a page.
    /// - Throws: an `ErrorPage` unless the page of this browser sends it, within 15 minutes.
    func heldSignIn(_ page: QuestionTicket.Page, in form: PageForm, _ request: Request) throws -> HeldSignIn {
        let (tenant, unreadable) = (form.tenant, page.unreadable)
        let (sealed, login) = (form["ticket"] ?? "", form["login"] ?? "")
        let ticket: QuestionTicket
        do throws(QuestionTicket.Refusal) {
            ticket = try QuestionTicket(opening: sealed, of: tenant.tenant.id, with: endpoints.keyring, at: endpoints.now())
        } catch {
            switch error {
            case .unreadable: throw unreadable
            case .expired(let application):
                throw tenant.applications[application].map(ErrorPage.attemptExpired.leading(to:)) ?? .attemptExpired
            }
        }
        if ticket.delivery != .codeWithoutURI { try form.requireServedAddress() }
        guard ticket.page == page, let application = tenant.applications[ticket.application] else { throw unreadable }
        guard tenant.tenant.addresses.isCurrent(ticket.host),
            let code = try? AuthorizationCode(opening: login, onPage: ticket.place, with: endpoints.keyring),
            code.tenant == ticket.tenant, code.application == ticket.application, code.login == ticket.login,
            let address = ticket.returnAddress(of: application, state: form.state, issuer: endpoints.issuer(tenant.tenant))
        else { throw unreadable.leading(to: application) }
        let cookie = ticket.isSilent ? browserCookie(of: code, tenant.tenant, request) : nil
        let secret = ticket.secret(
            ofBrowserWith: AttemptCookie(ticket.login, publicURL: endpoints.publicURL).values(in: request))
        // Otherwise an attacker could sign another person in as the attacker.
        guard cookie != nil || secret != nil else { throw ErrorPage.otherBrowser.leading(to: application) }
        return HeldSignIn(
            code: code, ticket: ticket,
            question: Question(
                page: page, ticket: sealed, login: login, code: code, application: application, address: address),
            asked: AuthorizationRequest(
                before: code, from: application, at: address, maxAge: ticket.maxAge, asksConsent: ticket.asksConsent),
            tenant: tenant, cookie: cookie, secret: secret, form: form)
    }

    /// The cookie of the session that signed the user of a code in. Nil if the browser does not have it.
    private func browserCookie(of code: AuthorizationCode, _ tenant: Tenant, _ request: Request) -> BrowserCookie? {
        guard tenant.settings.singleSignOn,
            let cookie = BrowserCookie(in: request, of: tenant, publicURL: endpoints.publicURL, with: endpoints.keyring),
            cookie.session == code.browser?.session, cookie.user == code.user
        else { return nil }
        return cookie
    }

    /// The answers of one sign-in are limited, because each costs some statements.
    func limitAnswers(to held: HeldSignIn) throws {
        guard silentSignIns.take(held.code.browser?.session.uuid ?? held.code.login.uuid, at: .now).isGranted else {
            throw RedirectedError(
                .temporarilyUnavailable, "The browser sent the form too often. Try again in a minute.", to: held.asked.returnAddress)
        }
    }

    /// The refusal of an answer whose sign-in has ended.
    func ended(_ held: HeldSignIn) -> RedirectedError {
        metrics.count(.authorize, CallbackRefusal.userEnded.outcome)
        return RedirectedError(
            .accessDenied, "The user no longer exists, was signed out, or lost the consent to the application during the sign-in.",
            to: held.asked.returnAddress)
    }

    /// The page after an answer whose sign-in the application has used.
    func finished(_ held: HeldSignIn) -> ErrorPage {
        metrics.count(.authorize, ErrorPage.signInFinished.outcome)
        return ErrorPage.signInFinished.leading(to: held.asked.application)
    }
}

extension QuestionTicket.Page {
    /// The page after a form that cannot be read.
    var unreadable: ErrorPage {
        ErrorPage(
            outcome: "\(rawValue)_unreadable", status: .badRequest, title: .requestCannotBeRead, detail: .parameterIsMalformed,
            remedy: .startAgain)
    }
}
