import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Revokes an API key that the person issued, after a question that names it. Every process rejects the key within 1 s.
    @Sendable
    func revokeOwnAPIKey(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecentSignIn()
        guard let id = account.web.parameters.get("apiKey").flatMap({ ID<APIKey>($0) }),
            let (owner, key) = try await ownKeys(account, in: endpoints.people.repeatable).first(where: { $0.key.id == id })
        else { return .seeOther("/account/api-keys") }
        guard form.isConfirmed else {
            let frame = endpoints.frame(request, account.web)
            var page = AccountPage(.askToRevokeKey)
            page.details = [.revokedKeyEnds]
            let question = AccountForm(
                "/account/api-keys/\(id)/revoke", account.formToken, hidden: [OwnForm.confirmation], button: .revoke)
            page.sections = [.init(key.name, lines: [try await name(of: owner, in: frame), "…\(key.last_four)"], forms: [question])]
            return page.leadingBack().response(in: frame)
        }
        try await endpoints.people.transaction { db in
            try await APIKey.revokeIssued(
                by: account.person.id, owner: owner, only: id, as: "revokeOwnAPIKey", origin: account.origin, in: db, at: account.now)
        }
        return .seeOther("/account/api-keys?done=revoked")
    }
}
