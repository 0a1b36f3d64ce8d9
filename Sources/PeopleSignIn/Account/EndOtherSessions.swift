import Access
import Hummingbird
import People
import Postgres
import Web

extension AccountRoutes {
    /// Ends all sessions of the person that this session lists, except this one.
    @Sendable
    func endOtherSessions(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        _ = try await endpoints.people.run([
            PersonSession.endOthers(
                of: account.person.id, than: account.session.id, onlyTenant: account.session.onlyTenant, .ended, at: account.now),
            try event("endOtherSessions", account),
        ])
        return .seeOther("/account/sessions")
    }
}
