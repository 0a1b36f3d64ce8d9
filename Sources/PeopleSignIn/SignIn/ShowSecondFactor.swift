import Access
import Encoding
import HTTPTypes
import Hummingbird
import Pages
import Passkeys
import People
import Sessions
import Web

extension PersonSignInRoutes {
    /// Shows the page that asks for the second factor after a right password.
    @Sendable
    func showSecondFactor(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let step = endpoints.step(request), case .password(let person) = step.stage else { return .seeOther("/account/sign-in") }
        return codePage(step, try await endpoints.people.repeatable.secondFactors(of: person)).response(
            in: endpoints.frame(request, context))
    }

    func codePage(_ step: StepTicket, _ factors: SecondFactors, problem: Text? = nil, wait: String? = nil) -> AccountPage {
        var field = AccountForm.Field.code()
        field.problem = problem
        var page = AccountPage(.enterYourCode, values: wait.map { [.wait: $0] } ?? [:])
        if factors.takesCodes {
            page.details = [.codeOfAppOrRecovery, .lostYourApp]
            page.forms = [AccountForm("/account/sign-in/code", endpoints.formToken(step), fields: [field], button: .next)]
        } else {
            page.details = [.passkeyIsTheSecondFactor, .lostYourPasskey]
        }
        if factors.passkeys > 0, endpoints.relyingParty != nil {
            page.links = [.init(text: .usePasskey, path: "/account/sign-in/passkey")]
        }
        page.links.append(.init(text: .useAnotherAddress, path: "/account/sign-in"))
        if problem != nil { page.status = wait == nil ? .badRequest : .tooManyRequests }
        return page
    }
}
