import Access
import Hummingbird
import Tenancy
import Web

private struct Reply: Encodable {
    let status = "deleted"
}

extension MushuRoutes {
    /// Deletes the tenant's connection. A connection that is in use cannot be deleted.
    @Sendable
    func mushuDeleteProvider(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        _ = try await providerApplication(call)
        try await connections.deleteOwnConnection(call)
        return try .json(Reply())
    }
}
