import Hummingbird
import Postgres
import Tenancy
import Web

extension Login {
    /// Signs a user out everywhere.
    @Sendable
    func revokeUserSessions(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsWrite)
        let id = try call.id("user", of: "user", as: User.self)
        guard try await !call.database(pool).run(User.find(id, of: call.tenant)).isEmpty else { throw Problem.notFound("user") }
        let revoked = try await revokeSessions(
            of: id, "revokeUserSessions", on: id.description, tenant: call.tenant, by: call.origin, at: now())
        return try .json(Revocation(revoked: revoked))
    }
}
