import Access
import Hummingbird
import Tenancy
import Web

extension MushuRoutes {
    @Sendable
    func mushuGetProvider(_ request: Request, _ call: TenantContext) async throws -> Response {
        let own = try await connections.ownConnection(call)
        let application = try await providerApplication(call)
        guard let own else { throw Self.noProvider }
        return try .json(ProviderReply(own, of: application))
    }
}
