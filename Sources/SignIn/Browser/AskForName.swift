import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

// The name of a user, for an application that requires one. Apple shares it only once, and not with each application. So a page asks for it
// before the application gets its code.
extension SignInRoutes {
    /// Whether the application requires a name, and the user has none. It costs one statement, and only for such an application.
    func needsName(_ user: ID<User>, _ application: Application, _ tenant: Tenant) async throws -> Bool {
        guard application.requiresName else { return false }
        let found = try await OwnerDatabase(signInNatively.pool, tenant: tenant.id).repeatable.run(User.nameless(user, of: tenant.id))
        return !found.isEmpty
    }

    /// The question for the name. Nil if it is not necessary.
    /// - Parameters:
    ///   - signIn: nil if the session of the browser signs the user in.
    ///   - maxAge: the maximum age of Apple's authentication that the request names.
    func nameQuestion(
        of code: AuthorizationCode, to address: ReturnAddress, _ application: Application, after signIn: NameTicket.AppleSignIn?,
        maxAge: Int?, _ tenant: Tenant, at now: Date
    ) async throws -> NameQuestion? {
        guard try await needsName(code.user, application, tenant) else { return nil }
        let ticket = NameTicket(code, to: address, after: signIn, maxAge: maxAge, at: now)
        guard let sealed = ticket.sealed(with: endpoints.keyring),
            let login = code.sealed(forPage: ticket.page, with: endpoints.keyring)
        else { throw RedirectedError(.invalidRequest, "redirect_uri, nonce and scope are too long. Shorten one of them.", to: address) }
        return NameQuestion(ticket: sealed, login: login, application: application, address: address)
    }

    /// The question of a browser that reloads the page, and so repeats Apple's response, which Apple accepts only once.
    ///
    /// Another response to the same attempt is a new sign-in: with a name, of another account, or canceled. The person went back to Apple's
    /// sheet.
    func nameQuestion(
        repeating form: Form, of attempt: LoginAttempt, to address: ReturnAddress, _ application: Application, _ sent: AttemptCookie.Sent
    ) -> NameQuestion? {
        guard form["error"] == nil, let code = form["code"] else { return nil }
        for value in sent.questions {
            let parts = value.parts(at: ".", atMost: 2, includingEmpty: true).map(String.init)
            guard parts.count == 2,
                let ticket = try? NameTicket(opening: parts[0], of: attempt.tenant, with: endpoints.keyring, at: endpoints.now()),
                ticket.login == attempt.login, ticket.application == application.id, ticket.follows(appleCode: code)
            else { continue }
            return NameQuestion(ticket: parts[0], login: parts[1], application: application, address: address)
        }
        return nil
    }

    /// The page that asks.
    /// - Parameter refused: the name that was refused.
    func page(
        _ question: NameQuestion, for tenant: TenantConfiguration, _ request: Request, _ context: WebContext,
        refused: NamePage.Entry? = nil
    ) -> Response {
        let (frame, address) = (PageFrame(request, tenant, context), question.address)
        return NamePage(
            application: question.application.name, path: "/t/\(tenant.tenant.slug)/oauth2/name", query: frame.query,
            ticket: question.ticket, login: question.login, state: address.state.map { Array($0.utf8).base64URL },
            // Another sign-in leads to Apple. On a server for development, this is the simulator.
            addresses: [address.redirectURI, endpoints.issuer(tenant.tenant)], explainsReset: tenant.connection?.ownership == .own,
            refused: refused
        ).response(in: frame)
    }
}
