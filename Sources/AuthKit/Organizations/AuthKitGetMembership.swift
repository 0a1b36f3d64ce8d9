import Access
import Hummingbird
import Users
import Web

extension AuthKitOrganizationRoutes {
    @Sendable
    func authKitGetMembership(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        guard let id = call.parameters.get("membership").flatMap(WorkOSMembership.user),
            let user = try await WorkOSUser.find(id, in: call.database(pool), of: call.tenant)
        else { throw Problem.notFound("organization membership") }
        return try .json(WorkOSMembership(user, in: try await organization(of: call)))
    }
}
