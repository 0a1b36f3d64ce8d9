import Encoding
import Hummingbird
import Pages
import Passkeys
import People
import Sessions
import Web

extension PersonSignInRoutes {
    /// Shows the page that asks the browser for a passkey. The options name no passkey of anybody. The challenge is in the step of the
    /// browser.
    @Sendable
    func showPasskeySignIn(_ request: Request, _ context: WebContext) async throws -> Response {
        let current = endpoints.step(request)
        // After a right password, the step stays what it is.
        let step = current.flatMap { if case .password = $0.stage { $0 } else { nil } } ?? startStep(request, next: nil)
        return try passkeyPage(step, request, context)
    }

    /// The page with a new challenge.
    func passkeyPage(
        _ step: StepTicket, problem: Text? = nil, _ request: Request, _ context: WebContext
    ) throws -> Response {
        guard let relyingParty = endpoints.relyingParty else { return .seeOther("/account/sign-in") }
        let challenge = endpoints.makeChallenge()
        var step = step
        step.challenge = challenge
        var page = PasskeyPage(
            .usePasskey, .get, options: try relyingParty.requestOptions(challenge: challenge), action: "/account/sign-in/passkey",
            token: endpoints.formToken(step), button: .usePasskey)
        (page.details, page.problem) = ([.confirmOnYourDevice], problem)
        page.links = [.init(text: .usePassword, path: "/account/sign-in")]
        return page.response(in: endpoints.frame(request, context)).setting([endpoints.cookie(step)])
    }
}
