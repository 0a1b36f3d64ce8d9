import Access
import Hummingbird
import Postgres
import Users
import Web

extension AuthKitUserRoutes {
    /// Lists users. A filter by another organization finds none, because the API key belongs to one.
    @Sendable
    func authKitListUsers(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let query = try Query(request.uri.query ?? "", WorkOSPage.parameters + ["email", "organization_id", "organization"])
        let page = try WorkOSPage(query) { ID<User>($0)?.uuid }
        let email = try query.text("email", upTo: 320)
        let organization = try query.text("organization_id") ?? query.text("organization")
        guard organization.map({ WorkOSID.tenant($0) == call.tenant }) ?? true
        else { return try .json(page.list([WorkOSUser](), id: \.id.description) { $0 }) }
        let database = call.database(pool)
        let found = try await database.run(UserReply.page(page.request, of: call.tenant, email: email, search: nil)).map(UserReply.init)
        return try .json(page.list(try await WorkOSUser.all(found, in: database, of: call.tenant), id: \.id.description) { $0 })
    }
}
