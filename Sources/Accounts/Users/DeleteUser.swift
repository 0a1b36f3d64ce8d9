import Access
import Hummingbird
import Postgres
import Users
import Web

extension UserRoutes {
    /// Deletes a user. The response has no body, and its `Location` is the deletion record.
    @Sendable
    func deleteUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        let wanted = UserDeletion.Request(
            user: try call.id("user", of: "user", as: User.self), tenant: call.tenant, requester: .api, origin: call.origin,
            action: "deleteUser")
        let now = now()
        let deletion = try await call.database(pool).transaction { db in
            try await delete(wanted, at: now, in: db) { user in try request.requireMatch(EntityTag(user.updated_at)) }
        }
        guard let deletion else { throw Problem.notFound("user") }
        var response = Response.noContent
        response.headers[.location] = "/v1/tenants/\(call.slug)/user-deletions/\(deletion.id)"
        return response
    }
}
