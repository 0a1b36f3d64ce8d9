import Access
import Encoding
import Factors
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import People
import PeopleSSO
import Postgres
import Sealing
import Sessions
import Web

extension PersonSignInRoutes {
    /// Accepts an invitation, by a form of this server.
    ///
    /// The owner of the address's account becomes a member at once, after a sign-in within the last 10 minutes. Somebody without an account
    /// chooses a name and a password, and then adds a second factor. Only this creates the account and the membership, and uses the link up.
    /// If the tenant requires its provider, the person signs in there, which accepts the invitation.
    ///
    /// The holder of a mailed link reads the mailbox. So an account that has not proved the address does not keep the holder out: the new
    /// account takes the address from it.
    @Sendable
    func acceptInvitation(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await endpoints.ownForm(request, upTo: AccountEndpoints.longestForm)
        let (account, step, sent) = (try await endpoints.account(request, context), endpoints.step(request), form[FormToken.field])
        let ofSession = account.map { FormToken.isRight(sent, for: $0.session.id.description, with: endpoints.keyring) } ?? false
        let ofStep = step.map { FormToken.isRight(sent, for: $0.secret, with: endpoints.keyring) } ?? false
        guard ofSession || ofStep else { throw ErrorPage.formNotCurrent }
        let (token, now) = (form["token"] ?? "", endpoints.now())
        let open = try await invitation(token, context)

        if ofSession, let account, account.person.isInvited(by: open.invitation) {
            guard account.isRecent else { return signInFirst(for: token, open.invitation.email, at: now) }
            do {
                try await endpoints.people.transaction { db in
                    if open.invitation.mail != nil, account.person.emailProvedAt == nil {
                        // The holder of the mailed link reads the mailbox.
                        _ = try await db.run(
                            Membership.lockAll(of: open.owner), Person.setAddress(account.person.email, of: account.person.id, at: now))
                    }
                    try await open.invitation.join(account.person.id, owner: open.owner, by: account.origin, in: db, at: now)
                }
            } catch is Invitation.Refusal { throw ErrorPage.invitationOver }
            context.record.note(outcome: "accepted")
            return .seeOther("/account?done=joined")
        }
        guard try await mustSignIn(for: open.invitation) != true, form["with"]?.isSame(as: "account") != true
        else { return signInFirst(for: token, open.invitation.email, at: now) }
        guard ofStep, let step else { throw ErrorPage.formNotCurrent }
        if let provider = try await endpoints.provider(of: open), provider.connection.isRequired {
            return try await providerPage(step, email: open.invitation.email, of: provider, problem: .onlyYourOrganization)
                .response(in: endpoints.frame(request, context))
        }

        let (name, typed) = (form["name"] ?? "", form["password"] ?? "")
        var problems: (name: Text?, password: Text?) = (DisplayName.refusal(of: name) == nil ? nil : .enterYourName, nil)
        var chosen: Password?
        do throws(Password.Refusal) {
            chosen = try Password(chosen: typed, address: open.invitation.email, products: [AccountEndpoints.product, open.organization])
        } catch { problems.password = error.text }
        let frame = endpoints.frame(request, context)
        guard problems.name == nil, problems.password == nil, let chosen else {
            return try await invitationPage(open, token: token, nil, step, in: frame, name: name, problems: problems).response(in: frame)
        }
        // The holder of a link must not use up the threads of all sign-ins.
        if let wait = limits.take(context.record) {
            endpoints.metrics.count(.person, "network_limited")
            var page = AccountPage(.youAreInvited, values: [.organization: open.organization, .wait: frame.language.wait(wait)])
            (page.problem, page.status) = (.tooManyAttempts, .tooManyRequests)
            var response = page.response(in: frame)
            response.headers[.retryAfter] = "\(wait)"
            return response
        }
        let hash = try await endpoints.hashing.hash(chosen)
        let next = StepTicket(
            .enrollment(.invited(token: token, name: name, hash: hash.text), key: AuthenticatorKey.random().bytes), next: .account, at: now)
        return .seeOther("/account/sign-in/authenticator", cookies: [endpoints.cookie(next)])
    }

    /// The sign-in that leads back to the invitation. Its page has the invited address.
    private func signInFirst(for token: String, _ email: String, at now: Date) -> Response {
        var step = StepTicket(.start, next: ReturnPath(invitation: token), at: now)
        step.email = email
        return .seeOther("/account/sign-in", cookies: [endpoints.cookie(step)])
    }
}

extension Password.Refusal {
    /// The text on pages.
    var text: Text {
        switch self {
        case .tooShort: .passwordTooShort
        case .tooLong: .passwordTooLong
        case .unreadable: .passwordUnreadable
        case .common: .passwordCommon
        case .predictable: .passwordPredictable
        case .containsAddress: .passwordHasAddress
        case .containsProduct: .passwordHasProduct
        }
    }
}
