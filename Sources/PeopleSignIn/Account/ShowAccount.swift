import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Shows the own account: each part with its state and the way to change it, and then the sign-out. The session of a tenant's provider
    /// sees only the name, the address, and its sign-ins, membership and API keys.
    @Sendable
    func showAccount(_ request: Request, _ account: AccountContext) async throws -> Response {
        let (frame, done) = (endpoints.frame(request, account.web), try endpoints.query(request)["done"])
        let language = frame.language
        var page = AccountPage(.yourAccount)
        if done?.isSame(as: "password") == true { page.notice = .passwordWasChanged }
        if done?.isSame(as: "app-removed") == true,
            try await endpoints.people.repeatable.secondFactors(of: account.person.id).totp == nil
        {
            page.notice = .appIsRemoved
        }
        if done?.isSame(as: ReturnPath.recoveryCodeUsed) == true, account.isOfAccount {
            let unused = try await endpoints.people.repeatable.run(StoredRecoveryCode.unused(of: account.person.id)).count
            (page.notice, page.values[.count]) = (.recoveryCodeWasUsed, "\(unused)")
            page.noticeLink = .init(text: .makeNewCodes, path: "/account/recovery-codes")
        }
        if done?.isSame(as: "joined") == true { page.notice = .invitationIsAccepted }
        if let outcome = AppleOutcome.allCases.first(where: { done?.isSame(as: $0.rawValue) == true }),
            try await endpoints.isCurrent(outcome, of: account, directory)
        {
            if outcome.isProblem { page.problem = outcome.text } else { page.notice = outcome.text }
        }
        if account.isOfAccount {
            page.sections = try await parts(of: account, in: language)
        } else {
            page.details = [.providerChangesNothing]
            page.sections = [
                .init(language.text(.yourName), lines: [account.person.name]),
                .init(language.text(.emailAddress), lines: [account.person.email]),
            ]
        }
        for (heading, path) in [(Text.signIns, "/account/sessions"), (.apiKeys, "/account/api-keys")] {
            let heading = language.text(heading)
            page.sections.append(.init(heading, links: [.init(text: language.text(.seeAll), subject: heading, path: path)]))
        }
        page.sections.append(try await memberships(of: account, in: frame))
        var signOut = AccountForm("/account/sign-out", account.formToken, button: .signOut)
        signOut.isSecondary = true
        page.lastForms = [signOut]
        return page.response(in: frame)
    }

    /// The ways to sign in, and the data of the account.
    private func parts(of account: AccountContext, in language: Language) async throws -> [AccountPage.Section] {
        let person = account.person
        let factors = try await endpoints.people.repeatable.secondFactors(of: person.id)
        func part(_ heading: Text, _ line: String, _ link: Text, _ path: String) -> AccountPage.Section {
            let heading = language.text(heading)
            return .init(heading, lines: [line], links: [.init(text: language.text(link), subject: heading, path: path)])
        }
        let password = person.passwordChangedAt.map { language.text(.lastChangedOn, [.date: $0.day]) } ?? language.text(.noPassword)
        let app = factors.totp?.confirmedAt.map { language.text(.addedOn, [.date: $0.day]) } ?? language.text(.notSetUp)
        var sections = [
            part(.yourName, person.name, .changeIt, "/account/name"),
            part(.emailAddress, person.email, .changeIt, "/account/email"),
            part(.password, password, person.passwordChangedAt == nil ? .setUp : .changeIt, "/account/password"),
            part(.authenticatorApp, app, factors.totp == nil ? .setUp : .changeIt, "/account/totp"),
            part(
                .recoveryCodes, language.text(.unusedCodes, [.count: "\(factors.recoveryCodes.count)"]), .makeNewCodes,
                "/account/recovery-codes"),
        ]
        if endpoints.relyingParty != nil {
            sections.append(
                factors.passkeys == 0
                    ? part(.passkeys, language.text(.noPasskey), .addPasskey, "/account/new-passkey")
                    : part(.passkeys, "\(factors.passkeys)", .seeAll, "/account/passkeys"))
        }
        if let apple = try await endpoints.appleSection(account, directory, in: language) { sections.append(apple) }
        return sections
    }

    private func memberships(of account: AccountContext, in frame: PageFrame) async throws -> AccountPage.Section {
        let language = frame.language
        var section = AccountPage.Section(
            language.text(.memberships), lines: account.memberships.isEmpty && account.waiting.isEmpty ? [language.text(.noMembership)] : []
        )
        for (owner, membership) in account.memberships {
            let name = try await name(of: owner, in: frame)
            var item = AccountPage.Section(name, lines: [try await role(membership.role, of: owner, in: language)])
            if try await membership.isOnly(.owner, of: owner, in: endpoints.people.repeatable) {
                item.lines.append(language.text(.lastOwnerStays))
            } else {
                item.links = [.init(text: language.text(.leave), subject: name, path: "/account/memberships/\(membership.id)")]
            }
            section.items.append(item)
        }
        for (owner, membership) in account.waiting {
            let name = try await name(of: owner, in: frame)
            var form = AccountForm(
                "/account/sso", account.formToken, hidden: [(name: "tenant", value: ID<Tenant>(owner).description)],
                button: .signInAtOrganization)
            (form.isSecondary, form.subject) = (true, name)
            let lines = [try await role(membership.role, of: owner, in: language), language.text(.needsOrganizationsService)]
            section.items.append(.init(name, lines: lines, forms: [form]))
        }
        return section
    }

    private func role(_ role: Role, of owner: UUID, in language: Language) async throws -> String {
        switch role {
        case .builtIn(let role): return language.text(role.text)
        case .custom(let id):
            let found = try await endpoints.people.repeatable.run(CustomRole.find(id, of: owner)).first(CustomRole.init)
            return found?.name ?? ""
        }
    }
}
