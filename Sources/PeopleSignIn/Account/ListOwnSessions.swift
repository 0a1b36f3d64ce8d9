import Access
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Lists the active sessions of the person, in browsers and terminals. A session that acts for one tenant lists only those for this
    /// tenant.
    @Sendable
    func listOwnSessions(_ request: Request, _ account: AccountContext) async throws -> Response {
        let frame = endpoints.frame(request, account.web)
        let language = frame.language
        let find = ListedSession.active(of: account.person.id, onlyTenant: account.session.onlyTenant, at: account.now)
        let sessions = try await endpoints.people.repeatable.run(find).map(ListedSession.init)
        var page = AccountPage(.signIns)
        page.sections = sessions.map { session in
            let isOwn = session.id == account.session.id
            var section = AccountPage.Section(language.text(isOwn ? .thisBrowser : session.kind == .browser ? .aBrowser : .aTerminal))
            section.lines =
                [
                    language.text(.signedInOn, [.date: session.createdAt.day]),
                    language.text(.lastUsedOn, [.date: session.lastUsedAt.day]),
                    session.address ?? language.text(.unknownAddress),
                ] + (session.userAgent.map { [$0] } ?? [])
            if !isOwn {
                var form = AccountForm("/account/sessions/\(session.id)/end", account.formToken, button: .signOut)
                (form.isSecondary, form.subject) = (true, "\(section.heading), \(session.address ?? session.createdAt.day)")
                section.forms = [form]
            }
            return section
        }
        if sessions.count > 1 {
            page.forms = [AccountForm("/account/sessions/end", account.formToken, button: .signOutElsewhere)]
        }
        return page.leadingBack().response(in: frame)
    }
}
