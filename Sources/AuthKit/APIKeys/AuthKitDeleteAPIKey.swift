import Access
import Hummingbird
import Web

extension AuthKitAPIKeyRoutes {
    /// Revokes a key, as `revokeAPIKey` does. The list still shows it.
    @Sendable
    func authKitDeleteAPIKey(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.apiKeysWrite)
        guard let id = call.parameters.get("authKitKey").flatMap(WorkOSAPIKey.id) else { throw Problem.notFound("API key") }
        _ = try await keys.revoke(id, call)
        return .noContent
    }
}
