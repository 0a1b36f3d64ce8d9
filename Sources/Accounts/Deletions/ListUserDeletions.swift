import Access
import Hummingbird
import Postgres
import Sessions
import Web

extension UserRoutes {
    @Sendable
    func listUserDeletions(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let query = try Query(request, "limit", "after", "before", "user", "status")
        let page = try query.page
        let deletions = try UserDeletionReply.all(
            try await call.database(pool).run(
                UserDeletionReply.page(page, of: call.tenant, user: try query.id("user"), status: try query.choice("status"))))
        return try .json(Page(deletions, of: page, id: { $0.id.uuid }) { $0 })
    }
}
