import Access
import Hummingbird
import People
import Postgres
import Web

extension AccountRoutes {
    /// Ends one session of the person, if this session lists it. It needs no new sign-in, because it must be quick.
    @Sendable
    func endOwnSession(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        guard let id = account.web.parameters.get("session").flatMap({ ID<PersonSession>($0) })
        else { return .seeOther("/account/sessions") }
        _ = try await endpoints.people.transaction { db in
            let end = PersonSession.end(
                id, of: account.person.id, onlyTenant: account.session.onlyTenant, .ended, at: account.now)
            let ended = try await db.run(end).affected
            if ended > 0 { _ = try await db.run(try event("endOwnSession", account, after: ["session": id.description])) }
        }
        return .seeOther("/account/sessions")
    }
}
