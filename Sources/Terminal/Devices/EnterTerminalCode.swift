import Hummingbird
import Pages
import PeopleSignIn
import Web

extension TerminalRoutes {
    static let devicePath = "/account/device"

    /// Shows the page for the code of a terminal. The sign-in comes first, so that it does not come between the code and the decision. No link
    /// fills in the code.
    func enterTerminalCode(_ request: Request, _ person: AccountContext) async throws -> Response {
        try person.requireRecentSignIn()
        return codePage(person).response(in: account.frame(request, person.web))
    }

    /// - Parameter problem: what is wrong with the last code.
    func codePage(_ person: AccountContext, problem: Text? = nil) -> AccountPage {
        var field = AccountForm.Field("user_code", .code, .code, autocomplete: "off")
        (field.longest, field.problem) = (20, problem)
        var page = AccountPage(.signInOnADevice)
        page.details = [.enterTheCode, .enterOnlyYourTerminalsCode]
        page.forms = [AccountForm(Self.devicePath, person.formToken, fields: [field], button: .next)]
        if problem != nil { page.status = .badRequest }
        return page
    }
}
