import Access
import Encoding
import Hummingbird
import Postgres
import Users
import Web

extension AuthKitOrganizationRoutes {
    /// Lists the memberships of a user or of the organization. All memberships are active.
    @Sendable
    func authKitListMemberships(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let query = try Query(request.uri.query ?? "", WorkOSPage.parameters + ["user_id", "organization_id", "statuses"])
        let page = try WorkOSPage(query) { WorkOSMembership.user($0)?.uuid }
        let (user, organization) = (try query.text("user_id"), try query.text("organization_id"))
        guard user != nil || organization != nil
        else { throw Problem.invalid(.init("user_id", "Send `user_id` or `organization_id`.")) }
        let tenant = try await self.organization(of: call)
        let isActive = try query.text("statuses")?.parts(at: ",").has("active") ?? true
        let database = call.database(pool)
        var found: [WorkOSUser] = []
        if isActive, organization.map({ WorkOSID.tenant($0) == tenant.id }) ?? true {
            if let user {
                if let id = ID<User>(user), let member = try await WorkOSUser.find(id, in: database, of: tenant.id) { found = [member] }
            } else {
                let users = try await database.run(UserReply.page(page.request, of: tenant.id, email: nil, search: nil))
                    .map(UserReply.init)
                found = try await WorkOSUser.all(users, in: database, of: tenant.id)
            }
        }
        return try .json(page.list(found.map { WorkOSMembership($0, in: tenant) }, id: \.id) { $0 })
    }
}
