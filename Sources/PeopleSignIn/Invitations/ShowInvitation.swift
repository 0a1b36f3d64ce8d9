import Access
import Encoding
import HTTPTypes
import Hummingbird
import Pages
import People
import PeopleSSO
import Postgres
import Web

extension PersonSignInRoutes {
    /// Shows the invitation of a link: to a new person, the form for an account, and to one with an account, the way to accept. If the tenant
    /// has a provider for the address, it also leads there. It uses nothing up, because programs that scan mails open links, too.
    @Sendable
    func showInvitation(_ request: Request, _ context: WebContext) async throws -> Response {
        let token = try endpoints.query(request)["token"]
        let open = try await invitation(token, context)
        let account = try await endpoints.account(request, context)
        let step = startStep(request, next: nil)
        let page = try await invitationPage(open, token: token ?? "", account, step, in: endpoints.frame(request, context))
        return page.response(in: endpoints.frame(request, context)).setting([endpoints.cookie(step)])
    }

    func invitationPage(
        _ open: OpenInvitation, token: String, _ account: AccountContext?, _ step: StepTicket, in frame: PageFrame, name: String = "",
        problems: (name: Text?, password: Text?) = (nil, nil)
    ) async throws -> AccountPage {
        let (email, hidden) = (open.invitation.email, [(name: "token", value: token)])
        var page = AccountPage(.youAreInvited, values: [.organization: open.organization])
        page.facts = [.init(.role, open.role(in: frame.language))]
        // The address of the page is a secret.
        page.referrerPolicy = "strict-origin"
        if let account, !account.person.isInvited(by: open.invitation) {
            (page.notice, page.values[.user]) = (.invitationIsForAnother, frame.language.isolated(account.person.email))
            page.values[.address] = frame.language.isolated(email)
        }
        let path = "/account/invitation"
        if let account, account.person.isInvited(by: open.invitation) {
            page.facts.append(.init(.emailAddress, email))
            page.forms = [AccountForm(path, account.formToken, hidden: hidden, button: .acceptInvitation)]
            return page
        }
        let mustSignIn = try await mustSignIn(for: open.invitation)
        let provider = try await endpoints.provider(of: open)
        if provider != nil {
            page.details = [.organizationSignsYouIn]
            page.forms = [AccountForm("/account/sso", endpoints.formToken(step), hidden: [("email", email)], button: .signInAtOrganization)]
        }
        if mustSignIn != nil {
            page.details.append(.signInToAccept)
            var form = AccountForm(path, endpoints.formToken(step), hidden: hidden + [("with", "account")], button: .signInToYourAccount)
            form.isSecondary = provider != nil
            page.forms.append(form)
        }
        // The form of a new account has the address.
        if mustSignIn == true || provider?.connection.isRequired == true {
            page.facts.append(.init(.emailAddress, email))
        } else {
            if mustSignIn == nil, provider == nil { page.details.append(.createAccountToAccept) }
            if mustSignIn == false { page.details.append(.newAccountGetsAddress) }
            var (address, own) = (
                AccountForm.Field.email(email), AccountForm.Field("name", .yourName, autocomplete: "name")
            )
            var password = AccountForm.Field.password(isNew: true)
            (address.isFixed, own.value, own.longest, own.problem) = (true, name, 200, problems.name)
            (password.hint, password.problem) = (.chooseAPassword, problems.password)
            var form = AccountForm(
                path, endpoints.formToken(step), fields: [address, own, password], hidden: hidden, button: .createAccount)
            form.isSecondary = provider != nil
            if mustSignIn == nil, provider != nil { form.introduction = .orCreateAccount }
            page.forms.append(form)
        }
        if problems.name != nil || problems.password != nil { page.status = .badRequest }
        return page
    }

    /// Whether the invited person must sign in to the account with the address of the invitation. The holder of a mailed link can also take
    /// the address from an account that has not proved it. Nil without an account.
    func mustSignIn(for invitation: Invitation) async throws -> Bool? {
        try await endpoints.people.repeatable.run(Person.find(email: invitation.email)).first(Person.init).map {
            invitation.mail == nil || $0.emailProvedAt != nil
        }
    }
}

extension Person {
    /// Whether an invitation is for the address of this account.
    func isInvited(by invitation: Invitation) -> Bool { email.asciiLowercased.isSame(as: invitation.email.asciiLowercased) }
}
