import Access
import Encoding
import Hummingbird
import Web

extension AuthKitOrganizationRoutes {
    @Sendable
    func authKitGetOrganization(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsRead)
        guard call.parameters.get("organization").flatMap(WorkOSID.tenant) == call.tenant else { throw Problem.notFound("organization") }
        return try .json(WorkOSOrganization(try await organization(of: call)))
    }
}
