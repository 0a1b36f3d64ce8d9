import Access
import Hummingbird
import Web

extension ConnectionRoutes {
    @Sendable
    func getConnection(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsRead)
        let actor = ConnectionActor(call)
        let details = try await find(try call.connectionInPath, for: actor)
        return try .resource(reply(details, to: actor), updatedAt: details.updatedAt)
    }
}
