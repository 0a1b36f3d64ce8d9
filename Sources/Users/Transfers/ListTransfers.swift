import Access
import Hummingbird
import Postgres
import Web

extension TransferRoutes {
    @Sendable
    func listTransfers(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsRead)
        let (page, now) = (try Query(request, "limit", "after", "before").page, now())
        let transfers = try await call.database(pool).run(TransferReply.page(page, of: call.tenant)).map { try TransferReply($0, at: now) }
        return try .json(Page(transfers, of: page, id: { $0.id.uuid }) { $0 })
    }
}
