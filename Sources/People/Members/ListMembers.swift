import Access
import Hummingbird
import Postgres
import Web

extension MemberRoutes {
    /// Lists the members of a tenant, or the operators.
    func listMembers(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.membersRead)
        let page = try Query(request, "limit", "after", "before").page
        let members = try await call.database(pool).run(Membership.page(page, of: call.owner)).map(Membership.init)
        return try .json(Page(members, of: page, id: \.id.uuid, MemberReply.init))
    }
}
