import Access
import Encoding
import Hummingbird
import Web

extension AuthKitOrganizationRoutes {
    /// Finds the caller's organization by the tenant's slug.
    @Sendable
    func authKitGetOrganizationByExternalID(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsRead)
        guard call.parameters.get("externalID")?.isSame(as: call.slug) == true else { throw Problem.notFound("organization") }
        return try .json(WorkOSOrganization(try await organization(of: call)))
    }
}
