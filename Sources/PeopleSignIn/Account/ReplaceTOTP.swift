import Access
import Encoding
import Factors
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Web

extension AccountRoutes {
    /// Shows the key of an authenticator app that replaces the present one.
    @Sendable
    func showNewTOTP(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        guard let earlier = try await endpoints.people.repeatable.secondFactors(of: account.person.id).totp
        else { return .seeOther("/account/totp") }
        return enrollmentPage(account, AuthenticatorKey.random(), replacing: earlier).response(in: endpoints.frame(request, account.web))
    }

    /// Replaces the authenticator app after the first right code of the new one. Until then, the present one stays valid, so a person who
    /// scans the picture with the wrong app loses nothing. The recovery codes stay.
    @Sendable
    func replaceTOTP(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (frame, now, person, keyring) = (endpoints.frame(request, account.web), account.now, account.person, endpoints.keyring)
        guard let earlier = try await endpoints.people.repeatable.secondFactors(of: person.id).totp,
            let key = key(sealed: form["key"] ?? "", replacing: earlier, of: account)
        else { return .seeOther("/account/totp") }
        guard let step = form["code"].flatMap({ key.step(of: $0, after: nil, at: now) })
        else { return enrollmentPage(account, key, replacing: earlier, problem: .codeIsWrong).response(in: frame) }
        let id = ID<PersonTOTP>(at: now)
        try await endpoints.people.transaction { db in
            _ = try await db.run(Person.lock(person.id))
            // Another request may have been faster.
            guard try await db.secondFactors(of: person.id).totp?.id == earlier.id else { return }
            _ = try await db.run(
                [
                    PersonTOTP.delete(of: person.id),
                    PersonTOTP.insert(id, of: person.id, Secret(bytes: key.bytes), usedAt: step, keyring: keyring, at: now),
                ] + (try endpoints.notice(.appReplaced, of: person, in: frame, from: account.web, at: now))
                    + [
                        try event(
                            "replaceTOTP", account, before: ["totp": earlier.id.description], after: ["totp": id.description])
                    ])
        }
        return .seeOther("/account")
    }
}
