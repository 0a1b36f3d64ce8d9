import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Removes a passkey, after a question that names it. The last one stays while the person has no password, or no other second factor.
    @Sendable
    func deletePasskey(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (frame, person) = (endpoints.frame(request, account.web), account.person)
        guard let passkey = try await passkey(account) else { return .seeOther("/account/passkeys") }
        let refusal = try await endpoints.people.transaction { db -> Text? in
            _ = try await db.run(Person.lock(person.id))
            guard let (current, factors) = try await db.personWithFactors(person.id) else { return nil }
            if factors.passkeys <= 1 {
                guard current.passwordChangedAt != nil else { return .onlyWayIn }
                guard factors.totp != nil else { return .accountNeedsFactor }
            }
            guard form.isConfirmed else { return nil }
            _ = try await db.run(
                [PersonPasskey.delete(passkey.id, of: person.id)]
                    + (try endpoints.notice(.passkeyRemoved(name: passkey.name), of: person, in: frame, from: account.web, at: account.now))
                    + [try event("deletePasskey", account, before: ["passkey": passkey.id.description])])
            return nil
        }
        if let refusal { return passkeyPage(account, passkey, name: passkey.name, refusal: refusal).response(in: frame) }
        guard form.isConfirmed else { return removalPage(account, passkey).response(in: frame) }
        return .seeOther("/account/passkeys?done=removed")
    }

    private func removalPage(_ account: AccountContext, _ passkey: PersonPasskey) -> AccountPage {
        var page = AccountPage(.removePasskey)
        (page.details, page.facts) = ([.noLongerSignsIn], [.init(.passkeyName, passkey.name)])
        page.forms = [
            AccountForm(
                "/account/passkeys/\(passkey.id)/removal", account.formToken, hidden: [OwnForm.confirmation], button: .removeIt)
        ]
        return page.leadingBack()
    }
}
