import Access
import Encoding
import Factors
import HTTPTypes
import Hummingbird
import Pages
import People
import Postgres
import QRCode
import Sealing
import Sessions
import Web

extension PersonSignInRoutes {
    /// Shows the key of a new authenticator app, for a person without a second factor, or one who accepts an invitation. The key is in the
    /// sealed step, so the database does not have it before the person gives a right code.
    @Sendable
    func showAuthenticator(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let step = endpoints.step(request), case .enrollment(let enrollee, let bytes) = step.stage,
            let key = AuthenticatorKey(bytes: bytes), let account = try await name(of: enrollee)
        else { return .seeOther("/account/sign-in") }
        return authenticatorPage(step, key, account: account).response(in: endpoints.frame(request, context))
    }

    func authenticatorPage(_ step: StepTicket, _ key: AuthenticatorKey, account: String, problem: Text? = nil) -> AccountPage {
        var field = AccountForm.Field.appCode()
        (field.problem, field.hint) = (problem, .thenEnterItsCode)
        var page = AccountPage(.protectYourAccount)
        page.details = [.scanWithYourApp]
        page.show(key, of: account)
        page.forms = [AccountForm("/account/sign-in/authenticator", endpoints.formToken(step), fields: [field], button: .confirm)]
        if problem != nil { page.status = .badRequest }
        return page
    }

    /// The address that the app shows. Nil if the account or the invitation is gone.
    func name(of enrollee: StepTicket.Enrollee) async throws -> String? {
        switch enrollee {
        case .person(let id): try await endpoints.people.repeatable.run(Person.find(id)).first(Person.init)?.email
        case .invited(let token, _, _): try await openInvitation(token)?.invitation.email
        }
    }
}

extension AccountPage {
    /// Shows the key of a new app as a picture for another device, as a link for this one, and as text.
    /// - Parameter address: the address that the app shows.
    mutating func show(_ key: AuthenticatorKey, of address: String) {
        picture = key.qrCode(issuer: AccountEndpoints.product, account: address).svg
        pictureLink = .init(text: .openInAnApp, path: key.uri(issuer: AccountEndpoints.product, account: address).reveal())
        facts = [.init(.keyByHand, key.text.reveal())]
    }
}
