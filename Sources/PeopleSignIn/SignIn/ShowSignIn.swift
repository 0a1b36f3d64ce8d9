import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import Passkeys
import People
import Sessions
import Web

extension PersonSignInRoutes {
    /// Shows the first page of a sign-in, which asks for the address. It changes nothing, except for a cookie of the browser.
    ///
    /// A signed-in person sees it before a step that needs a new sign-in.
    @Sendable
    func showSignIn(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try endpoints.query(request)
        let again = query["again"].flatMap { ReturnPath($0) }
        let account = try await endpoints.account(request, context)
        if account != nil, again == nil, endpoints.step(request)?.isStart != true { return .seeOther(ReturnPath.account.path) }
        let step = startStep(request, next: again)
        // An invitation or a new address is for another account than that of the browser.
        var page = addressPage(step, email: (step.next.isForOneAddress ? step.email : account?.person.email) ?? "")
        if account != nil, again != nil {
            page.details = [.signInForThisStep]
            page = page.leadingBack()
        }
        if query["done"]?.isSame(as: "signed-out") == true { page.notice = .browserIsSignedOut }
        return page.response(in: endpoints.frame(request, context)).setting([endpoints.cookie(step)])
    }

    /// The step of a browser that begins a sign-in. Other tabs of the browser keep theirs.
    /// - Parameter next: the page after the sign-in. Nil for the one of an earlier page.
    func startStep(_ request: Request, next: ReturnPath?) -> StepTicket {
        let now = endpoints.now()
        if var step = endpoints.step(request), step.isStart, step.expiresAt.timeIntervalSince(now) > StepTicket.lifetime / 2 {
            if let next { step.next = next }
            return step
        }
        let earlier = endpoints.step(request)
        var step = StepTicket(.start, next: next ?? earlier?.next ?? .account, at: now)
        step.email = earlier?.email
        return step
    }

    func addressPage(_ step: StepTicket, email: String, problem: Text? = nil) -> AccountPage {
        var field = AccountForm.Field.email(email)
        field.problem = problem
        var page = AccountPage(.signInToYourAccount)
        page.forms = [AccountForm("/account/sign-in", endpoints.formToken(step), fields: [field], button: .next)]
        if endpoints.apple != nil {
            var apple = AccountForm("/account/apple", endpoints.formToken(step), button: .continueWithApple)
            apple.isSecondary = true
            page.forms.append(apple)
        }
        if endpoints.relyingParty != nil { page.links = [.init(text: .usePasskey, path: "/account/sign-in/passkey")] }
        if problem != nil { page.status = .badRequest }
        return page
    }
}
