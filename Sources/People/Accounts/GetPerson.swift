import Access
import Hummingbird
import Postgres
import Web

extension PersonRoutes {
    /// Shows one account.
    @Sendable
    func getPerson(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.membersRead)
        let id = try call.id("person", of: "person", as: Person.self)
        guard let person = try await ListedPerson.find(id, in: call.platformDatabase(pool).repeatable, at: now())
        else { throw Problem.notFound("person") }
        return try .json(PersonReply(person))
    }
}
