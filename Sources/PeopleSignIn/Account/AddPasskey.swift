import Access
import Foundation
import Hummingbird
import Pages
import Passkeys
import People
import Postgres
import Web

extension AccountRoutes {
    /// In bytes.
    var longestPasskeyForm: Int { RegistrationResponse.longestForm }

    /// Shows the page that creates a passkey. Its challenge is in a cookie of this browser.
    @Sendable
    func showNewPasskey(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        return try await newPasskeyPage(request, account)
    }

    /// Saves a passkey. Its challenge is used up before the verification, so a response counts once.
    @Sendable
    func addPasskey(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (now, person) = (account.now, account.person)
        guard let relyingParty = endpoints.relyingParty, let response = RegistrationResponse(form.fields),
            let challenge = endpoints.step(request)?.challenge, try await endpoints.useUp(challenge)
        else { return try await newPasskeyPage(request, account, problem: .passkeyWasNotAdded) }
        let made: Passkey
        do throws(PasskeyRefusal) { made = try relyingParty.verify(response, challenge: challenge, at: now) } catch {
            account.web.record.note(outcome: "passkey_refused")
            return try await newPasskeyPage(request, account, problem: .passkeyWasNotAdded)
        }
        let frame = endpoints.frame(request, account.web)
        do {
            let isAdded = try await endpoints.people.transaction { db in
                _ = try await db.run(Person.lock(person.id))
                let count = try await db.run(PersonPasskey.all(of: person.id)).count
                guard count < PersonPasskey.most else { return false }
                let name = form["name"].flatMap { Self.isName($0) ? $0 : nil } ?? "Passkey \(count + 1)"
                let passkey = PersonPasskey(
                    ID(at: now), of: person.id, credential: made.id, publicKey: made.publicKey, aaguid: made.aaguid,
                    signCount: Int64(made.signCount), isBackupEligible: made.isBackupEligible, isBackedUp: made.isBackedUp,
                    transports: made.transports.map(\.rawValue), name: name, at: now)
                _ = try await db.run(
                    [passkey.insert] + (try endpoints.notice(.passkeyAdded(name: name), of: person, in: frame, from: account.web, at: now))
                        + [try event("addPasskey", account, after: ["passkey": passkey.id.description])])
                return true
            }
            guard isAdded else { return try await newPasskeyPage(request, account, problem: .tooManyPasskeys) }
        } catch let error as DatabaseError where error.constraint == "passkey_credential" {
            return try await newPasskeyPage(request, account, problem: .passkeyWasNotAdded)
        }
        return .seeOther("/account/passkeys", cookies: [AccountCookie.step.removal(endpoints.publicURL)])
    }

    static func isName(_ name: String) -> Bool { DisplayName.refusal(of: name) == nil && name.unicodeScalars.count <= 100 }

    private func newPasskeyPage(_ request: Request, _ account: AccountContext, problem: Text? = nil) async throws -> Response {
        let person = account.person
        let passkeys = try await endpoints.people.repeatable.run(PersonPasskey.all(of: person.id)).map(PersonPasskey.init)
        guard let relyingParty = endpoints.relyingParty,
            let user = PasskeyUser(
                handle: PersonPasskey.userHandle(of: person.id), name: person.email, displayName: person.name)
        else { return .seeOther("/account") }
        let frame = endpoints.frame(request, account.web)
        guard passkeys.count < PersonPasskey.most else {
            var page = AccountPage(.addPasskey, values: [.limit: "\(PersonPasskey.most)"])
            (page.problem, page.status) = (.tooManyPasskeys, .conflict)
            return page.leadingBack().response(in: frame)
        }
        var step = StepTicket(.start, next: .account, at: account.now)
        let challenge = endpoints.makeChallenge()
        step.challenge = challenge
        let options = try relyingParty.creationOptions(for: user, excluding: passkeys.map(\.passkey), challenge: challenge)
        var page = PasskeyPage(
            .addPasskey, .create, options: options, action: "/account/new-passkey", token: account.formToken, button: .addPasskey)
        (page.details, page.problem) = ([.passkeySignsIn], problem)
        var field = AccountForm.Field("name", .passkeyName, autocomplete: "off")
        field.value = "Passkey \(passkeys.count + 1)"
        page.fields = [field]
        page.links = [.init(text: .backToYourAccount, path: "/account")]
        return page.response(in: frame).setting([endpoints.cookie(step)])
    }
}
