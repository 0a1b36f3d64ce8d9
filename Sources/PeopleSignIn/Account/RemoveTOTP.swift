import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Removes the authenticator app. A person without a passkey keeps it, because a password alone signs nobody in.
    @Sendable
    func removeTOTP(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (frame, person) = (endpoints.frame(request, account.web), account.person)
        let kept = try await endpoints.people.transaction { db -> (PersonTOTP, SecondFactors)? in
            _ = try await db.run(Person.lock(person.id))
            let factors = try await db.secondFactors(of: person.id)
            guard let totp = factors.totp else { return nil }
            guard factors.passkeys > 0 else { return (totp, factors) }
            _ = try await db.run(
                [PersonTOTP.delete(of: person.id)] + (try endpoints.notice(.factorRemoved, of: person, in: frame, at: account.now))
                    + [try event("removeTOTP", account)])
            return nil
        }
        guard let (totp, factors) = kept else { return .seeOther("/account") }
        var page = removalPage(account, totp, factors)
        page.status = .conflict
        return page.response(in: frame)
    }

    func removalPage(_ account: AccountContext, _ totp: PersonTOTP, _ factors: SecondFactors) -> AccountPage {
        guard factors.passkeys > 0 else {
            var page = AccountPage(.authenticatorApp, values: [.date: totp.confirmedAt?.day ?? ""])
            page.details = [.addedOn, .accountNeedsFactor]
            return page.leadingBack()
        }
        var page = AccountPage(.removeAuthenticator, values: [.date: totp.confirmedAt?.day ?? ""])
        page.details = [.addedOn]
        page.forms = [AccountForm("/account/totp/removal", account.formToken, button: .removeIt)]
        return page.leadingBack()
    }
}
