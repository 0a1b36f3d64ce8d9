import Access
import Hummingbird
import Postgres
import Web

extension StatementRoutes {
    /// Lists a tenant's statements. A purged tenant still has them, so that its bills can be explained.
    @Sendable
    func listStatements(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.statementsRead)
        let page = try Query(request, "limit", "after", "before").page
        let statements = try await call.database(pool).run(StatementReply.page(page, of: call.tenant)).map { try StatementReply($0) }
        return try .json(Page(statements, of: page, id: { $0.id.uuid }) { $0 })
    }
}
