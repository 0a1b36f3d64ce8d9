import Access
import Hummingbird
import Sessions
import Tenancy
import Web

/// An application is a tenant's. The HTTP framework has a type of that name, too.
typealias Application = Tenancy.Application

extension MushuRoutes {
    /// The tenant and the application of the base URL. Mushu's clients send no secret, so the application must be one without a secret.
    func applicationInPath(_ context: WebContext) async throws -> (TenantConfiguration, Application) {
        guard let tenant = try await endpoints.tenant(context)
        else { throw Problem(.notFound, "Tenant not found. Check the base URL, which is {issuer}/mushu/{client_id}.") }
        guard let application = context.parameters.get("client_id").flatMap({ ID<Application>($0) }).flatMap({ tenant.applications[$0] })
        else {
            throw Problem(.notFound, "Application not found. Check the client ID in the base URL, which is {issuer}/mushu/{client_id}.")
        }
        guard !application.kind.isConfidential else {
            throw OAuthError(
                .unauthorizedClient,
                "This interface sends no secret, so an application of kind \(application.kind.rawValue) cannot use it. Register one of kind native or spa."
            )
        }
        return (tenant, application)
    }
}
