import Access
import Encoding
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Lists the passkeys of the person.
    @Sendable
    func listPasskeys(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireAccount()
        let frame = endpoints.frame(request, account.web)
        let passkeys = try await endpoints.people.repeatable.run(PersonPasskey.all(of: account.person.id)).map(PersonPasskey.init)
        var page = AccountPage(.passkeys)
        if try endpoints.query(request)["done"]?.isSame(as: "removed") == true { page.notice = .passkeyIsRemoved }
        page.details = [.passkeySignsIn] + (passkeys.isEmpty ? [.noPasskey] : [])
        page.sections = passkeys.map { passkey in
            .init(
                passkey.name, lines: facts(of: passkey, in: frame.language),
                links: [
                    .init(text: frame.language.text(.changeIt), subject: passkey.name, path: "/account/passkeys/\(passkey.id)")
                ])
        }
        if endpoints.relyingParty != nil, passkeys.count < PersonPasskey.most {
            page.links = [.init(text: .addPasskey, path: "/account/new-passkey")]
        }
        return page.leadingBack().response(in: frame)
    }

    func facts(of passkey: PersonPasskey, in language: Language) -> [String] {
        [language.text(.addedOn, [.date: passkey.createdAt.day])]
            + (passkey.lastUsedAt.map { [language.text(.lastUsedOn, [.date: $0.day])] } ?? [])
    }

    /// The passkey in the path of a request. Nil if the person has none with this ID.
    func passkey(_ account: AccountContext) async throws -> PersonPasskey? {
        guard let id = account.web.parameters.get("passkey").flatMap({ ID<PersonPasskey>($0) }) else { return nil }
        return try await endpoints.people.repeatable.run(PersonPasskey.all(of: account.person.id)).map(PersonPasskey.init)
            .first { $0.id == id }
    }
}
