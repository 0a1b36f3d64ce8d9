import Hummingbird
import PeopleSignIn
import Sessions
import Web

extension TerminalRoutes {
    /// Sends the program away without a code.
    func refuseTerminal(_ request: Request, _ form: OwnForm, _ person: AccountContext) async throws -> Response {
        let asked = try shown(form, person)
        person.web.record.note(outcome: OAuthError.Code.accessDenied.rawValue)
        return redirect(
            to: asked.answer,
            [("error", OAuthError.Code.accessDenied.rawValue), ("error_description", "The person refused this terminal.")])
    }
}
