import Access
import Hummingbird
import Postgres
import Web

extension MemberRoutes {
    /// Lists the members of a tenant, or the operators.
    func listMembers(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.membersRead)
        let page = try Query(request, "limit", "after", "before").page
        let database = call.database(pool)
        let members = try await database.run(Membership.page(page, of: call.owner)).map(Membership.init)
        let keys = try await APIKey.issuedCounts(by: members.map(\.person), owner: call.owner, in: database, at: now())
        return try .json(Page(members, of: page, id: \.id.uuid) { MemberReply($0, apiKeys: keys[$0.person] ?? 0) })
    }
}
