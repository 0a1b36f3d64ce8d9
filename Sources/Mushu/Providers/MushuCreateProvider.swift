import Access
import Hummingbird
import Tenancy
import Web

extension MushuRoutes {
    /// Creates the tenant's connection, which does not serve yet. To activate it is a decision about the existing users, which Mushu's
    /// request cannot express.
    @Sendable
    func mushuCreateProvider(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let application = try await providerApplication(call)
        var fields = try await JSONFields(request)
        if let provider = fields.text("provider_type", isRequired: true), !provider.utf8.elementsEqual("apple".utf8) {
            fields.refuse("provider_type", "It must be apple.")
        }
        if fields.flag("enabled") != false {
            fields.refuse("enabled", "It must be false. Activate the connection afterwards: espalierctl connections activate.")
        }
        let new = try NewConnection(&fields, prefix: "apple_") { try $0.finishKnown() }
        return try .json(ProviderReply(try await connections.createOwnConnection(new, call), of: application))
    }
}
