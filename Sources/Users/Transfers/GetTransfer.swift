import Access
import Hummingbird
import Postgres
import Web

extension TransferRoutes {
    /// Returns a transfer, without an `ETag` because its numbers change with every sign-in.
    @Sendable
    func getTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let (id, now) = (try transfer(inPathOf: call), now())
        let found = try await call.database(pool).run(TransferReply.find(id, of: call.tenant)).first { try TransferReply($0, at: now) }
        guard let found else { throw Problem.notFound("transfer") }
        return try .json(found)
    }
}
