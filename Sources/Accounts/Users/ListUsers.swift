import Access
import Hummingbird
import Postgres
import Users
import Web

extension UserRoutes {
    /// Lists users. A search with an `@` reads only addresses, which have an index. Any other search also reads names, and so every user.
    @Sendable
    func listUsers(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let query = try Query(request, "limit", "after", "before", "email", "search")
        let page = try query.page
        let users = try await call.database(pool)
            .run(
                UserReply.page(
                    page, of: call.tenant, email: try query.text("email", upTo: 320), search: try query.text("search", upTo: 320))
            ).map(UserReply.init)
        return try .json(Page(users, of: page, id: { $0.id.uuid }) { $0 })
    }
}
