import Access
import Encoding
import Factors
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Web

extension AccountRoutes {
    /// Shows the key of a new authenticator app, as a picture and as text. With an app, it shows the ways to replace and to remove it.
    @Sendable
    func showTOTP(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let frame = endpoints.frame(request, account.web)
        let factors = try await endpoints.people.repeatable.secondFactors(of: account.person.id)
        guard let totp = factors.totp else { return enrollmentPage(account, AuthenticatorKey.random()).response(in: frame) }
        return ownAppPage(account, totp, factors).response(in: frame)
    }

    /// Saves the key after the first right code of the app. A person without recovery codes gets some, which are shown once.
    @Sendable
    func enrollTOTP(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (frame, now, person, keyring) = (endpoints.frame(request, account.web), account.now, account.person, endpoints.keyring)
        guard let key = key(sealed: form["key"] ?? "", of: account) else { return .seeOther("/account/totp") }
        guard let step = form["code"].flatMap({ key.step(of: $0, after: nil, at: now) })
        else { return enrollmentPage(account, key, problem: .codeIsWrong).response(in: frame) }
        let codes = RecoveryCode.makeSet()
        do {
            let isFirst = try await endpoints.people.transaction { db in
                _ = try await db.run(Person.lock(person.id))
                let isFirst = try await db.run(StoredRecoveryCode.unused(of: person.id)).isEmpty
                let digests = codes.map { $0.digest(for: person.id.uuid, with: keyring) }
                _ = try await db.run(
                    [PersonTOTP.insert(ID(at: now), of: person.id, Secret(bytes: key.bytes), usedAt: step, keyring: keyring, at: now)]
                        + (isFirst ? StoredRecoveryCode.replace(of: person.id, digests: digests, at: now) : [])
                        + (try endpoints.notice(.authenticatorAdded, of: person, in: frame, from: account.web, at: now)) + [
                            try event("enrollTOTP", account)
                        ])
                return isFirst
            }
            return isFirst ? recoveryCodesPage(codes).response(in: frame) : .seeOther("/account")
        } catch let error as DatabaseError where error.constraint == "person_totp_one" {
            // Another request was faster.
            return .seeOther("/account/totp")
        }
    }

    /// - Parameter earlier: the app that the new one replaces.
    func enrollmentPage(
        _ account: AccountContext, _ key: AuthenticatorKey, replacing earlier: PersonTOTP? = nil, problem: Text? = nil
    ) -> AccountPage {
        var field = AccountForm.Field.appCode()
        (field.problem, field.hint) = (problem, .thenEnterItsCode)
        var page = AccountPage(earlier == nil ? .authenticatorApp : .setUpAnotherApp)
        page.details = (earlier == nil ? [] : [.earlierAppStays]) + [.scanWithYourApp]
        page.show(key, of: account.person.email)
        page.forms = [
            AccountForm(
                earlier == nil ? "/account/totp" : "/account/new-totp", account.formToken, fields: [field],
                hidden: [("key", sealed(key, replacing: earlier, of: account))], button: .confirm)
        ]
        if problem != nil { page.status = .badRequest }
        return page.leadingBack()
    }
}

// MARK: The key between the page and its form

extension AccountRoutes {
    private static let purpose = "account_totp"
    /// How long the person has to install an app, in seconds.
    private static let lifetime: TimeInterval = 1800

    /// The key in the form, sealed for this session and for the app that it replaces, so that the database stores no key before a right code,
    /// and each form counts once.
    private func sealed(_ key: AuthenticatorKey, replacing earlier: PersonTOTP?, of account: AccountContext) -> String {
        var fields = FieldWriter()
        fields.write(account.session.id.uuid)
        fields.write(account.now)
        fields.write(key.bytes)
        fields.write(earlier.map { $0.id.description } ?? "")
        return endpoints.keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    func key(sealed: String, replacing earlier: PersonTOTP? = nil, of account: AccountContext) -> AuthenticatorKey? {
        guard sealed.utf8.count < 500, let bytes = try? endpoints.keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        guard let session = try? fields.uuid(), let start = try? fields.date(), let key = try? fields.bytes(),
            let replaced = try? fields.string(), session == account.session.id.uuid,
            replaced.isSame(as: earlier.map { $0.id.description } ?? ""), account.now < start.addingTimeInterval(Self.lifetime)
        else { return nil }
        return AuthenticatorKey(bytes: key)
    }
}
