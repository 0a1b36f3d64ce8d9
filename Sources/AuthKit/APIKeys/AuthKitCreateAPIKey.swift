import Access
import Hummingbird
import Tenancy
import Web

extension AuthKitAPIKeyRoutes {
    /// Issues a key, as `issueAPIKey` does. Its permissions are scopes of the caller's key; by default, none. An application may give such
    /// a key to its customer, so a missing member must not pass on the power over all users.
    @Sendable
    func authKitCreateAPIKey(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.apiKeysWrite)
        try call.requireOwnOrganization()
        var fields = try await JSONFields(request)
        let name = fields.text("name", isRequired: true)
        let scopes = fields.choices("permissions", APIKey.Scope.self)
        let expiresAt = fields.time("expires_at", after: endpoints.now())
        try fields.finish()
        let key = try await keys.issue(
            name ?? "", scopes: scopes?.map(\.rawValue) ?? [], expiresAt: expiresAt, call)
        return try .json(WorkOSAPIKey(key, of: call.tenant), status: .created)
    }
}
