import Access
import Hummingbird
import Users
import Web

extension AuthKitUserRoutes {
    @Sendable
    func authKitGetUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let id = try call.id("user", of: "user", as: User.self)
        guard let user = try await WorkOSUser.find(id, in: call.database(pool), of: call.tenant) else { throw Problem.notFound("user") }
        return try .json(user)
    }
}
