import Access
import Hummingbird
import Pages
import People
import PeopleSSO
import Postgres
import Sessions
import Web

extension ProviderSignInRoutes {
    /// Removes the account at Apple of a signed-in person, after a question. A person without a password and a passkey keeps it,
    /// because nothing else would sign the person in.
    @Sendable
    func unlinkApple(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        guard let provider = try await endpoints.apple?.provider(directory, publicURL: endpoints.publicURL) else {
            return .seeOther("/account")
        }
        let (person, frame) = (account.person.id, endpoints.frame(request, account.web))
        let hasOtherWay = try await endpoints.people.transaction { db in
            // The row is locked, so that no other request removes the last other way at the same time.
            let (people, passkeys) = try await db.run(Person.lock(person), PersonPasskey.all(of: person))
            guard try people.first(Person.init)?.passwordChangedAt != nil || !passkeys.isEmpty else { return false }
            guard form.isConfirmed,
                try await db.run(PersonIdentity.delete(of: person, at: provider.issuer, of: provider.tenant)).affected > 0
            else { return true }
            _ = try await db.run(
                (try endpoints.notice(.appleDisconnected, of: account.person, in: frame, from: account.web, at: account.now)) + [
                    try AuditEvent.insert(
                        "unlinkApple", of: person.description, owner: .platform, by: account.origin, at: account.now)
                ])
            return true
        }
        guard hasOtherWay else { return .seeOther(AppleOutcome.needed.path) }
        guard form.isConfirmed else {
            var page = AccountPage(.disconnectApple)
            page.details = [.noLongerSignsIn]
            page.forms = [
                AccountForm("/account/apple/removal", account.formToken, hidden: [OwnForm.confirmation], button: .disconnectApple)
            ]
            return page.leadingBack().response(in: frame)
        }
        return .seeOther(AppleOutcome.disconnected.path)
    }
}
