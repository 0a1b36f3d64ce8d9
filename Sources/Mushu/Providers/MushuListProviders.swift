import Access
import Hummingbird
import Tenancy
import Web

private struct Reply: Encodable {
    let providers: [ProviderReply]
}

extension MushuRoutes {
    /// Lists the tenant's own connection as the provider of an application, or nothing.
    @Sendable
    func mushuListProviders(_ request: Request, _ call: TenantContext) async throws -> Response {
        let own = try await connections.ownConnection(call)
        let application = try await providerApplication(call)
        return try .json(Reply(providers: own.map { [ProviderReply($0, of: application)] } ?? []))
    }
}
