import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import PeopleSignIn
import Sessions
import Web

extension TerminalRoutes {
    /// Shows the request of a program to the signed-in person, who decides. It changes nothing.
    func reviewTerminal(_ request: Request, _ person: AccountContext) async throws -> Response {
        let sealed = request.cookies(named: TerminalCookie.name(grant.publicURL)).lazy
            .compactMap { text in TerminalRequest(opening: text, with: grant.keyring, at: person.now).map { (text, $0) } }.first
        guard let (text, asked) = sealed else { throw ErrorPage.terminalRequestOver }
        // The session of the terminal is as recent as this sign-in.
        guard person.now < person.session.authenticatedAt.addingTimeInterval(TimeInterval(asked.maxAge)) else { throw SignInAgain() }

        let frame = account.frame(request, person.web)
        let program = asked.name?.program(in: frame.language) ?? TerminalClient.id
        var page = AccountPage(.logInToTheTerminal, values: [.user: person.person.email, .application: TerminalClient.id])
        page.details = [Self.power(of: person), .continueIfYouStartedTheLogin]
        page.facts = [.init(.program, program)] + (try await memberships(of: person, in: frame.language))
        page.forms = [AccountForm(Self.approvalPath, person.formToken, hidden: [("request", text)], button: .allow)]
        var refusal = AccountForm("/account/oauth2/refusal", person.formToken, hidden: [("request", text)], button: .refuse)
        refusal.isSecondary = true
        page.forms.append(refusal)
        page.redirects = [asked.redirectURI]
        return page.response(in: frame)
    }

    /// The power of the terminal, and its end: with a session of a tenant's provider, after a day (`PersonSession.lifetimeOfProvider`).
    static func power(of person: AccountContext) -> Text {
        person.session.onlyTenant == nil ? .terminalActsAsYou : .terminalActsForADay
    }

    /// The tenants that the terminal can act for, with the role of the person. The page shows a few, so that the buttons stay in sight.
    func memberships(of person: AccountContext, in language: Language) async throws -> [AccountPage.Fact] {
        var facts: [AccountPage.Fact] = []
        for (owner, membership) in person.memberships.prefix(10) {
            if let only = person.session.onlyTenant, only.uuid != owner { continue }
            guard owner != .platform else {
                facts.append(.init(.role, language.text(.roleOperator)))
                continue
            }
            guard let name = try await tenantName(ID(owner)) else { continue }
            let role = membership.role.text.map { " (\(language.text($0)))" } ?? ""
            facts.append(.init(.organization, name + role))
        }
        return facts
    }
}

extension Role {
    /// The name of the role on pages. Nil for a role that the tenant defined.
    fileprivate var text: Text? {
        switch self {
        case .builtIn(.platformOperator): .roleOperator
        case .builtIn(.owner): .roleOwner
        case .builtIn(.admin): .roleAdmin
        case .builtIn(.developer): .roleDeveloper
        case .builtIn(.billing): .roleBilling
        case .builtIn(.viewer): .roleViewer
        case .custom: nil
        }
    }
}
