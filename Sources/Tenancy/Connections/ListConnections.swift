import Access
import Hummingbird
import Web

extension ConnectionRoutes {
    @Sendable
    func listConnections(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let page = try Query(request, "limit", "after", "before").page
        let actor = ConnectionActor(call)
        let found = try await ConnectionDetails.page(page, owner: call.owner, in: call.database(pool))
        return try .json(Page(found, of: page, id: \.connection.id.uuid) { reply($0, to: actor) })
    }
}
