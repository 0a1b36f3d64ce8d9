import Access
import Encoding
import HTTPTypes
import Hummingbird
import Mail
import Pages
import Passkeys
import People
import PeopleSSO
import Web

extension PersonSignInRoutes {
    /// Takes the address, and shows the next step. It is the same for each address of a domain, and no statement looks for the account, so
    /// nobody learns who has one.
    @Sendable
    func signIn(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        let frame = endpoints.frame(request, context)
        guard let address = form["email"].flatMap({ MailAddress($0) })?.address
        else { return addressPage(step, email: "", problem: .enterAnAddress).response(in: frame) }
        // The page for a lost password takes it over.
        var step = step
        step.email = address
        if form["with"]?.isSame(as: "password") != true,
            let provider = try await AddressProvider.find(address, in: endpoints.people.repeatable)
        {
            return try await providerPage(step, email: address, of: provider).response(in: frame).setting([endpoints.cookie(step)])
        }
        return passwordPage(step, email: address).response(in: frame).setting([endpoints.cookie(step)])
    }

    func passwordPage(_ step: StepTicket, email: String, problem: Text? = nil, wait: String? = nil) -> AccountPage {
        var (address, password) = (AccountForm.Field.email(email), AccountForm.Field.password())
        address.isFixed = true
        password.problem = problem
        var page = AccountPage(.signInToYourAccount, values: wait.map { [.wait: $0] } ?? [:])
        page.forms = [
            AccountForm(
                "/account/sign-in/password", endpoints.formToken(step), fields: [address, password], button: .signInToYourAccount)
        ]
        if endpoints.relyingParty != nil { page.links = [.init(text: .usePasskey, path: "/account/sign-in/passkey")] }
        page.links += [
            .init(text: .useAnotherAddress, path: "/account/sign-in"), .init(text: .recoverAccount, path: "/account/recovery"),
        ]
        if problem != nil { page.status = wait == nil ? .badRequest : .tooManyRequests }
        return page
    }
}
