import Access
import Hummingbird
import Tenancy
import Web

extension AuthKitAPIKeyRoutes {
    /// Changes the end of a key: now, at a time, or never.
    @Sendable
    func authKitExpireAPIKey(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.apiKeysWrite)
        guard let id = call.parameters.get("authKitKey").flatMap(WorkOSAPIKey.id) else { throw Problem.notFound("API key") }
        var fields = try await JSONFields(request, isOptional: true)
        let isNever = fields.isNull("expires_at")
        let time = fields.time("expires_at")
        try fields.finish()
        let key = try await keys.expire(id, at: isNever ? nil : time ?? endpoints.now(), as: "authKitExpireAPIKey", call)
        return try .json(WorkOSAPIKey(key, of: call.tenant))
    }
}
