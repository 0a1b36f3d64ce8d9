import Access
import Hummingbird
import Postgres
import Web

extension InitialAccessTokenRoutes {
    @Sendable
    func getInitialAccessToken(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let id = try call.id("initialAccessToken", of: "initial access token", as: InitialAccessToken.self)
        guard let token = try await call.database(pool).run(InitialAccessToken.find(id, of: call.tenant)).first(InitialAccessToken.init)
        else { throw Problem.notFound("initial access token") }
        return try .resource(InitialAccessTokenReply(token), updatedAt: token.updatedAt)
    }
}
