import Access
import Hummingbird
import Sessions
import Web

extension AuthKitUserRoutes {
    /// Ends a session, as `revokeSession` does. The ID may be the `sid` of AuthKit's token or the one of Espalier's own.
    @Sendable
    func authKitRevokeSession(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsWrite)
        var fields = try await JSONFields(request)
        let id = fields.text("session_id", isRequired: true)
        try fields.finish()
        guard let id = id.flatMap(WorkOSSessionID.init) else { throw Problem.notFound("session") }
        _ = try await sessions.revoke(id.session, call)
        return .noContent
    }
}
