import Access
import Encoding
import Pages
import People
import PeopleSSO
import Postgres
import Tenancy

/// The result of an action on the person's Apple Account, in the query of the account page (`done`).
enum AppleOutcome: String, CaseIterable {
    case connected = "apple-connected"
    case disconnected = "apple-disconnected"
    /// The Apple Account belongs to another person, or the person has connected another one.
    case taken = "apple-taken"
    /// Nothing else would sign the person in.
    case needed = "apple-needed"

    var path: String { "/account?done=\(rawValue)" }

    /// Whether the account page shows it as a problem.
    var isProblem: Bool { self == .taken || self == .needed }

    /// The notice or the problem of the account page.
    var text: Text {
        switch self {
        case .connected: .appleIsConnected
        case .disconnected: .appleIsDisconnected
        case .taken: .appleBelongsToSomebody
        case .needed: .appleIsNeeded
        }
    }
}

extension AccountEndpoints {
    /// Whether a result agrees with the account now. A saved link names an earlier one.
    func isCurrent(_ outcome: AppleOutcome, of account: AccountContext, _ directory: TenantDirectory) async throws -> Bool {
        guard !outcome.isProblem else { return true }
        guard let provider = try await apple?.provider(directory, publicURL: publicURL) else { return false }
        let find = PersonIdentity.find(of: account.person.id, at: provider.issuer, of: provider.tenant)
        return try await people.repeatable.run(find).isEmpty == (outcome == .disconnected)
    }

    /// The section of the account page that connects the person's Apple Account, or shows the times of the connection and ends it. Nil
    /// without the settings for Apple, and in a session that a tenant's provider has started.
    func appleSection(_ account: AccountContext, _ directory: TenantDirectory, in language: Language) async throws -> AccountPage.Section? {
        guard account.isOfAccount, let provider = try await apple?.provider(directory, publicURL: publicURL)
        else { return nil }
        let find = PersonIdentity.find(of: account.person.id, at: provider.issuer, of: provider.tenant)
        let identity = try await people.repeatable.run(find).first(PersonIdentity.init)
        var form = AccountForm(
            identity == nil ? "/account/apple/link" : "/account/apple/removal", account.formToken,
            button: identity == nil ? .connectApple : .disconnectApple)
        form.isSecondary = true
        let added = identity.map { language.text(.addedOn, [.date: $0.createdAt.day]) }
        let used = identity?.lastUsedAt.map { language.text(.lastUsedOn, [.date: $0.day]) }
        return .init("Apple", lines: [added, used].compactMap(\.self), forms: [form])
    }
}
