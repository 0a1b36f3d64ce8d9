import Access
import Factors
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Web

extension AccountRoutes {
    /// Shows the form for a new password.
    @Sendable
    func showPassword(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        return passwordPage(account).response(in: endpoints.frame(request, account.web))
    }

    /// Changes the password, or sets the first one. All other sessions end, and this one gets a new secret. The time of its sign-in stays,
    /// because the person gives no factor here.
    @Sendable
    func changePassword(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (frame, now, person) = (endpoints.frame(request, account.web), account.now, account.person)
        let chosen: Password
        do throws(Password.Refusal) {
            chosen = try Password(chosen: form["password"] ?? "", address: person.email, products: [AccountEndpoints.product])
        } catch { return passwordPage(account, problem: error.text).response(in: frame) }
        let hash = try await endpoints.hashing.hash(chosen)
        let session = try NewSession(
            of: person.id, passwordChangedAt: now, methods: account.session.methods, authenticatedAt: account.session.authenticatedAt,
            action: "changePassword", request, account.web, endpoints, at: now)
        _ = try await endpoints.people.run(
            [
                Person.setPassword(hash.text, of: person.id, keyring: endpoints.keyring, at: now),
                PersonSession.endOthers(of: person.id, than: account.session.id, .passwordChanged, at: now),
            ] + (try endpoints.notice(.passwordChanged, of: person, in: frame, from: account.web, at: now)) + session.statements)
        return .seeOther("/account?done=password", cookies: session.cookies)
    }

    private func passwordPage(_ account: AccountContext, problem: Text? = nil) -> AccountPage {
        var page = AccountPage(account.person.passwordChangedAt == nil ? .setNewPassword : .changePassword)
        page.details = [.otherSignInsEnd]
        var address = AccountForm.Field.email(account.person.email)
        address.isFixed = true
        page.forms = [
            AccountForm("/account/password", account.formToken, fields: [address, .newPassword(problem: problem)], button: .save)
        ]
        if problem != nil { page.status = .badRequest }
        return page.leadingBack()
    }
}

extension AccountForm.Field {
    static func newPassword(problem: Text?) -> Self {
        var field = Self("password", .newPassword, .password, autocomplete: "new-password")
        (field.hint, field.problem, field.longest) = (.chooseAPassword, problem, Password.mostBytes)
        return field
    }
}
