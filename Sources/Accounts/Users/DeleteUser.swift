package import Access
import Hummingbird
import Postgres
package import Users
import Web

extension UserRoutes {
    /// Deletes a user. The response has no body, and its `Location` is the deletion record.
    @Sendable
    func deleteUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        try call.requireRecentSignIn(at: now())
        let user = try call.id("user", of: "user", as: User.self)
        let deletion = try await delete(user, call) { try request.requireMatch(EntityTag($0.updated_at)) }
        var response = Response.noContent
        response.headers[.location] = "/v1/tenants/\(call.slug)/user-deletions/\(deletion)"
        return response
    }

    /// - Parameter admit: throws to prevent the deletion.
    /// - Returns: the deletion record.
    @discardableResult
    package func delete(
        _ user: ID<User>, _ call: TenantContext, admit: @Sendable (UserReply) throws -> Void = { _ in }
    ) async throws -> ID<UserDeletion> {
        let wanted = UserDeletion.Request(
            user: user, tenant: call.tenant, requester: .api, origin: call.origin, action: "deleteUser")
        let now = now()
        let deletion = try await call.database(pool).transaction { db in
            try await delete(wanted, at: now, in: db) { user in try admit(user) }
        }
        guard let deletion else { throw Problem.notFound("user") }
        return deletion.id
    }
}
