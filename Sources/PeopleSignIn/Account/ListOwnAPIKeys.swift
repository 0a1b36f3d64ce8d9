import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Lists the valid API keys that the person issued, for all tenants whose keys it may still change.
    @Sendable
    func listOwnAPIKeys(_ request: Request, _ account: AccountContext) async throws -> Response {
        let frame = endpoints.frame(request, account.web)
        let language = frame.language
        let keys = try await ownKeys(account, in: endpoints.people.repeatable)
        var page = AccountPage(.apiKeys)
        if try endpoints.query(request)["done"]?.isSame(as: "revoked") == true { page.notice = .keyIsRevoked }
        page.details = [keys.isEmpty ? .noAPIKeys : .apiKeysStayValid]
        for (owner, key) in keys {
            var section = AccountPage.Section(key.name)
            section.lines =
                [try await name(of: owner, in: frame), "…\(key.last_four)", language.text(.addedOn, [.date: key.created_at.day])]
                + (key.last_used_at.map { [language.text(.lastUsedOn, [.date: $0.day])] } ?? [])
                + [key.expires_at.map { language.text(.expiresOn, [.date: $0.day]) } ?? language.text(.doesNotExpire)]
            var form = AccountForm("/account/api-keys/\(key.id)/revoke", account.formToken, button: .revoke)
            (form.isSecondary, form.subject) = (true, "\(key.name), …\(key.last_four)")
            section.forms = [form]
            page.sections.append(section)
        }
        return page.leadingBack().response(in: frame)
    }

    /// The valid keys that the person issued and may still change.
    func ownKeys(_ account: AccountContext, in db: some StatementRunner) async throws -> [(owner: UUID, key: ShownAPIKey)] {
        try await APIKey.issued(by: account.person.id, for: keyOwners(of: account, in: db), in: db, at: account.now)
    }

    /// The owners for which the person may change API keys now. A person who left a tenant, or lost the permission there, has no power over
    /// the keys that it issued.
    func keyOwners(of account: AccountContext, in db: some StatementRunner) async throws -> [UUID] {
        var owners: [UUID] = []
        for (owner, membership) in account.memberships {
            if try await membership.role.scopes(of: owner, in: db).contains(APIKey.Scope.apiKeysWrite.rawValue) {
                owners.append(owner)
            }
        }
        return owners
    }
}
