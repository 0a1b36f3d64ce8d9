import Access
import Hummingbird
import Postgres
import Users
import Web

extension UserRoutes {
    /// Lists the applications of third parties that a user allowed on the page of the sign-in.
    @Sendable
    func listConsents(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let user = try call.id("user", of: "user", as: User.self)
        let page = try Query(request, "limit", "after", "before").page
        let (known, found) = try await call.database(pool).run(
            User.find(user, of: call.tenant), ConsentReply.page(page, of: user, call.tenant))
        guard !known.isEmpty else { throw Problem.notFound("user") }
        return try .json(Page(try found.map(ConsentReply.init), of: page, id: { $0.id.uuid }) { $0 })
    }
}
