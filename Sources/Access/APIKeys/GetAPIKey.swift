import Hummingbird
import Postgres
import Web

extension APIKeyRoutes {
    func getAPIKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.apiKeysRead)
        let id = try call.id("apiKey", of: "API key", as: APIKey.self)
        _ = try Query(request)
        guard let key = try await call.database(pool).run(ShownAPIKey.find(id, owner: call.owner)).first(ShownAPIKey.init)
        else { throw Problem.notFound("API key") }
        return try .resource(key, updatedAt: key.updated_at)
    }
}
