import Access
import Accounts
import Hummingbird
import Users
import Web

extension AuthKitUserRoutes {
    /// Deletes a user, as `deleteUser` does, which also revokes the consent at Apple.
    @Sendable
    func authKitDeleteUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        try await users.delete(try call.id("user", of: "user", as: User.self), call)
        return .noContent
    }
}
