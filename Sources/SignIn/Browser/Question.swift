import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

/// A question to the person, with the sealed sign-in that waits for the answer.
struct Question {
    let page: QuestionTicket.Page
    let ticket, login: String
    /// The code of the sign-in.
    let code: AuthorizationCode
    let application: Application
    let address: ReturnAddress

    /// The value of a cookie, for a reload of the page.
    var cookieValue: String { "\(ticket).\(login)" }
}

// The questions after the user of a sign-in is known, and before the application gets its code: first the consent to an application of a
// third party, then the name. Each page holds the finished sign-in. All ways to a code in a browser end here.
extension SignInRoutes {
    /// The first question after a sign-in with Apple. Nil if none is necessary.
    ///
    /// The tenant's own applications cost no statement unless they require a name. An application of a third party costs one.
    func question(
        after signIn: QuestionTicket.AppleSignIn, of code: AuthorizationCode, to attempt: LoginAttempt, _ application: Application,
        _ tenant: Tenant, at now: Date
    ) async throws -> Question? {
        // Tokens in a URL are not for third parties, and the page of a device asks itself.
        guard attempt.delivery.isCode else { return nil }
        let page: QuestionTicket.Page
        if try await needsConsent(code, application, always: attempt.asksConsent, tenant) {
            page = .consent
        } else if attempt.delivery == .code, try await needsName(code.user, application, tenant) {
            page = .name
        } else {
            return nil
        }
        let address = attempt.returnAddress(issuer: endpoints.issuer(tenant))
        let ticket = QuestionTicket(
            page, code, to: address, after: signIn, maxAge: attempt.maxAge, delivery: attempt.delivery, asksConsent: attempt.asksConsent,
            atHost: attempt.host, at: now)
        return try question(ticket, of: code, to: address, application)
    }

    /// A question with its sealed sign-in.
    func question(
        _ ticket: QuestionTicket, of code: AuthorizationCode, to address: ReturnAddress, _ application: Application
    ) throws -> Question {
        guard let sealed = ticket.sealed(with: endpoints.keyring), let login = code.sealed(forPage: ticket.place, with: endpoints.keyring)
        else { throw RedirectedError(.invalidRequest, "redirect_uri, nonce and scope are too long. Shorten one of them.", to: address) }
        return Question(page: ticket.page, ticket: sealed, login: login, code: code, application: application, address: address)
    }

    /// The question of a browser that reloads the page, and so repeats Apple's response, which Apple accepts only once.
    ///
    /// Another response to the same attempt is a new sign-in: with a name, of another account, or canceled. The person went back to Apple's
    /// sheet.
    func question(
        repeating form: AppleForm, of attempt: LoginAttempt, to address: ReturnAddress, _ application: Application,
        _ sent: AttemptCookie.Sent
    ) -> Question? {
        guard form.error == nil, let appleCode = form.code else { return nil }
        for value in sent.questions {
            let parts = value.parts(at: ".", atMost: 2, includingEmpty: true).map(String.init)
            guard parts.count == 2,
                let ticket = try? QuestionTicket(opening: parts[0], of: attempt.tenant, with: endpoints.keyring, at: endpoints.now()),
                ticket.login == attempt.login, ticket.application == application.id, ticket.follows(appleCode: appleCode),
                let code = try? AuthorizationCode(opening: parts[1], onPage: ticket.place, with: endpoints.keyring)
            else { continue }
            return Question(
                page: ticket.page, ticket: parts[0], login: parts[1], code: code, application: application, address: address)
        }
        return nil
    }

    /// The page that asks.
    func page(
        _ question: Question, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        switch question.page {
        case .consent: try await consentPage(question, for: tenant, request, context)
        case .name: namePage(question, for: tenant, request, context)
        }
    }
}
