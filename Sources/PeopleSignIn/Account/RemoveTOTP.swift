import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Removes the authenticator app, after a question. A person without a passkey keeps it, because a password alone signs nobody in.
    @Sendable
    func removeTOTP(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (frame, person) = (endpoints.frame(request, account.web), account.person)
        let kept = try await endpoints.people.transaction { db -> (PersonTOTP, SecondFactors)? in
            _ = try await db.run(Person.lock(person.id))
            let factors = try await db.secondFactors(of: person.id)
            guard let totp = factors.totp else { return nil }
            guard factors.passkeys > 0, form.isConfirmed else { return (totp, factors) }
            _ = try await db.run(
                [PersonTOTP.delete(of: person.id)]
                    + (try endpoints.notice(.authenticatorRemoved, of: person, in: frame, from: account.web, at: account.now))
                    + [try event("removeTOTP", account)])
            return nil
        }
        guard let (totp, factors) = kept else { return .seeOther("/account?done=app-removed") }
        guard factors.passkeys == 0 else {
            var question = AccountPage(.askToRemoveApp)
            question.details = [.noLongerSignsIn]
            question.forms = [
                AccountForm("/account/totp/removal", account.formToken, hidden: [OwnForm.confirmation], button: .removeIt)
            ]
            return question.leadingBack().response(in: frame)
        }
        var page = ownAppPage(account, totp, factors)
        page.status = .conflict
        return page.response(in: frame)
    }

    /// The page of an app: the way to another one, and the form that removes it. Without a passkey, it has the way to one instead.
    func ownAppPage(_ account: AccountContext, _ totp: PersonTOTP, _ factors: SecondFactors) -> AccountPage {
        var page = AccountPage(.authenticatorApp, values: [.date: totp.confirmedAt?.day ?? ""])
        page.details = [.addedOn]
        page.links = [.init(text: .setUpAnotherApp, path: "/account/new-totp")]
        if factors.passkeys > 0 {
            page.forms = [AccountForm("/account/totp/removal", account.formToken, button: .removeIt)]
            page.forms[0].isSecondary = true
        } else {
            page.details.append(.accountNeedsFactor)
            if endpoints.relyingParty != nil { page.links.append(.init(text: .addPasskey, path: "/account/new-passkey")) }
        }
        return page.leadingBack()
    }
}
