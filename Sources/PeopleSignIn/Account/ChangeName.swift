import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Shows the form for the name.
    @Sendable
    func showName(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireAccount()
        return namePage(account, name: account.person.name).response(in: endpoints.frame(request, account.web))
    }

    /// Changes the name. All tenants of the person see it.
    @Sendable
    func changeName(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireAccount()
        let name = form["name"] ?? ""
        guard DisplayName.refusal(of: name) == nil else {
            return namePage(account, name: name, problem: .enterYourName).response(in: endpoints.frame(request, account.web))
        }
        _ = try await endpoints.people.run([
            Person.rename(account.person.id, to: name, at: account.now),
            try event("changeName", account, before: ["name": account.person.name], after: ["name": name]),
        ])
        return .seeOther("/account")
    }

    private func namePage(_ account: AccountContext, name: String, problem: Text? = nil) -> AccountPage {
        var field = AccountForm.Field("name", .yourName, autocomplete: "name")
        (field.value, field.problem, field.longest) = (name, problem, DisplayName.length.upperBound)
        var page = AccountPage(.yourName)
        page.forms = [AccountForm("/account/name", account.formToken, fields: [field], button: .save)]
        if problem != nil { page.status = .badRequest }
        return page.leadingBack()
    }
}
