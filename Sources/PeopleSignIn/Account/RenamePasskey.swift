import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Shows a passkey with the forms that rename and remove it.
    @Sendable
    func showPasskey(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireAccount()
        guard let passkey = try await passkey(account) else { return .seeOther("/account/passkeys") }
        return passkeyPage(account, passkey, name: passkey.name).response(in: endpoints.frame(request, account.web))
    }

    /// Changes the name that the person gave a passkey.
    @Sendable
    func renamePasskey(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireAccount()
        guard let passkey = try await passkey(account) else { return .seeOther("/account/passkeys") }
        let name = form["name"] ?? ""
        guard Self.isName(name) else {
            return passkeyPage(account, passkey, name: name, problem: .nameHasLimit)
                .response(in: endpoints.frame(request, account.web))
        }
        _ = try await endpoints.people.run([
            PersonPasskey.rename(passkey.id, of: account.person.id, to: name),
            try event("renamePasskey", account, after: ["passkey": passkey.id.description]),
        ])
        return .seeOther("/account/passkeys")
    }

    func passkeyPage(
        _ account: AccountContext, _ passkey: PersonPasskey, name: String, problem: Text? = nil, refusal: Text? = nil
    ) -> AccountPage {
        let path = "/account/passkeys/\(passkey.id)"
        var field = AccountForm.Field("name", .passkeyName, autocomplete: "off")
        (field.value, field.problem, field.longest) = (name, problem, 100)
        var removal = AccountForm("\(path)/removal", account.formToken, button: .removeIt)
        (removal.isSecondary, removal.subject) = (true, passkey.name)
        var page = AccountPage(.ownPasskey, values: [.limit: "100"])
        page.problem = refusal
        page.forms = [AccountForm("\(path)/name", account.formToken, fields: [field], button: .save), removal]
        if problem != nil { page.status = .badRequest }
        if refusal != nil { page.status = .conflict }
        return page.leadingBack()
    }
}
