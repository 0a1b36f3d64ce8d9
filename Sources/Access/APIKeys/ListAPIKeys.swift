import Hummingbird
import Postgres
import Web

extension APIKeyRoutes {
    /// Lists all keys of the owner, newest first, including revoked and expired keys.
    func listAPIKeys(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.apiKeysRead)
        let page = try Query(request, "limit", "after", "before").page
        let keys = try await call.database(pool).run(ShownAPIKey.page(page, owner: call.owner)).map(ShownAPIKey.init)
        return try .json(Page(keys, of: page, id: \.id.uuid) { $0 })
    }
}
