import Access
import Hummingbird
import Web

extension SessionRoutes {
    /// Signs out every user of the tenant. The caller must name the tenant, so that nobody does this to the wrong tenant by mistake.
    @Sendable
    func revokeAllSessions(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsWrite)
        guard let confirmed = try Query(request, "confirm").text("confirm")
        else { throw Problem.invalid(.init("confirm", "It is required. Send the slug of the tenant to sign out all its users.")) }
        guard confirmed == call.slug
        else { throw Problem(.conflict, "`confirm` must be the tenant's slug, `\(call.slug)`. Nothing was revoked.") }
        let revoked = try await revokeSessions(of: call.tenant, by: call.origin, at: now())
        return try .json(Revocation(revoked: revoked))
    }
}
