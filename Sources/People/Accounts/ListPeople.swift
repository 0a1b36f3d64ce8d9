import Access
import Encoding
import Hummingbird
import Postgres
import Web

extension PersonRoutes {
    /// Lists the accounts of people.
    @Sendable
    func listPeople(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.membersRead)
        let query = try Query(request, "email", "limit", "after", "before")
        let address = try query.text("email", upTo: 254)
        let page = try query.page
        let people = try await ListedPerson.page(
            page, address: address?.asciiLowercased, in: call.platformDatabase(pool).repeatable, at: now())
        return try .json(Page(people, of: page, id: \.person.id.uuid, PersonReply.init))
    }
}
