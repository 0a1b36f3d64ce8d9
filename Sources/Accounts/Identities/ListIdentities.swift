import Access
import Hummingbird
import Postgres
import Sessions
import Users
import Web

extension UserRoutes {
    /// Lists a user's identities.
    @Sendable
    func listIdentities(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let user = try call.id("user", of: "user", as: User.self)
        let page = try Query(request, "limit", "after", "before").page
        let (known, found) = try await call.database(pool).run(
            User.find(user, of: call.tenant),
            Identity.page(page, of: user, call.tenant, logins: Session.logins(of: user, call.tenant)))
        guard !known.isEmpty else { throw Problem.notFound("user") }
        return try .json(Page(try found.map(IdentityReply.init), of: page, id: { $0.id.uuid }) { $0 })
    }
}
