import Access
import Encoding
import Hummingbird
import Tenancy
import Web

extension MushuRoutes {
    /// The application whose provider the path names. The connection belongs to the tenant, so all its applications have the same one.
    /// - Throws: `Problem` 404 for an application of another tenant, or one that is not in the base URL; for another provider than Apple;
    ///   at an address that does not serve the tenant.
    func providerApplication(_ call: TenantContext) async throws -> ID<Application> {
        let (client, named) = (call.parameters.get("client_id") ?? "", call.parameters.get("app_id") ?? "")
        guard client.isSame(as: named), let id = ID<Application>(client),
            let tenant = try await endpoints.directory.find(call.tenant)?.reached(at: call.ownHost), tenant.applications[id] != nil
        else { throw Problem(.notFound, "Application not found. app_id must be the client ID in the base URL.") }
        if let provider = call.parameters.get("provider_type"), !provider.isSame(as: "apple") {
            throw Problem(.notFound, "Provider not found. Espalier offers only apple.")
        }
        return id
    }

    static let noProvider = Problem(.notFound, "The tenant has no connection of its own. Create one, or use the shared one.")
}
