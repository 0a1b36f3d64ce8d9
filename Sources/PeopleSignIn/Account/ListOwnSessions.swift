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
                    language.text(.signedInOn, [.date: session.createdAt.minute]),
                    language.text(.lastUsedOn, [.date: session.lastUsedAt.minute]),
                    session.address ?? language.text(.unknownAddress),
                ] + (session.userAgent.map { [session.kind == .browser ? Self.label(ofUserAgent: $0, in: language) : $0] } ?? [])
            if !isOwn {
                var form = AccountForm("/account/sessions/\(session.id)/end", account.formToken, button: .signOut)
                // One address can have several sessions, which the time tells apart.
                let place = session.address.map { [$0] } ?? []
                form.isSecondary = true
                form.subject = ([section.heading] + place + [session.createdAt.minute]).joined(separator: ", ")
                section.forms = [form]
            }
            return section
        }
        if sessions.count > 1 {
            page.forms = [AccountForm("/account/sessions/end", account.formToken, button: .signOutElsewhere)]
        }
        return page.leadingBack().response(in: frame)
    }

    /// Marks in user agents and the programs that write them. Most programs also write the marks of those further down.
    private static let programs = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]

    /// The browser and its system as a person names them, or the user agent itself if the table does not have both. It is only a label: a
    /// program states what it wants.
    static func label(ofUserAgent userAgent: String, in language: Language) -> String {
        func first(in table: [(mark: String, name: String)]) -> String? {
            table.first { userAgent.utf8.contains($0.mark.utf8) }?.name
        }
        guard let program = first(in: programs), let system = first(in: systems) else { return userAgent }
        return language.text(.programOnMachine, [.application: program, .machine: system])
    }
}
