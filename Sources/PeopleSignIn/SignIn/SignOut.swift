import Access
import Encoding
import Hummingbird
import People
import Postgres
import Sessions
import Web

extension PersonSignInRoutes {
    /// Ends the session of this browser.
    @Sendable
    func signOut(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        let (person, session) = (account.person.id, account.session.id)
        _ = try await endpoints.people.run([
            PersonSession.end(session, of: person, .signOut, at: account.now),
            try AuditEvent.insert(
                "signOut", of: person.description, owner: .platform, by: account.origin, after: ["session": session.description],
                at: account.now),
        ])
        return .seeOther(
            "/account/sign-in?done=signed-out",
            cookies: [AccountCookie.session.removal(endpoints.publicURL), AccountCookie.step.removal(endpoints.publicURL)])
    }
}
