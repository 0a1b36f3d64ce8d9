import Access
import Hummingbird
import Postgres
import Web

extension TransferRoutes {
    /// Lists the users of a transfer with state and reason. The list does not contain Apple's `sub`.
    @Sendable
    func listTransferUsers(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let id = try transfer(inPathOf: call)
        let query = try Query(request, "limit", "after", "before", "state")
        let (page, state) = (try query.page, try query.choice("state", TransferUser.State.self))
        let database = call.database(pool)
        guard let transfer = try await database.run(TeamTransfer.find(id, of: call.tenant)).first(TeamTransfer.init)
        else { throw Problem.notFound("transfer") }
        let users = try await database.run(TransferUserReply.page(page, state, in: transfer, of: call.tenant)).map(TransferUserReply.init)
        return try .json(Page(users, of: page, id: { $0.user_id.uuid }) { $0 })
    }
}
