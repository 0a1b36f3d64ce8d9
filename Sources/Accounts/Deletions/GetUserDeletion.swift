import Access
import Hummingbird
import Postgres
import Web

extension UserRoutes {
    @Sendable
    func getUserDeletion(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let id = try call.id("deletion", of: "user deletion", as: UserDeletion.self)
        let found = try await call.database(pool).run(UserDeletionReply.find(id, of: call.tenant))
        guard let deletion = try UserDeletionReply.all(found).first else { throw Problem.notFound("user deletion") }
        return try .resource(deletion, updatedAt: deletion.updated_at)
    }
}
