import Access
import Hummingbird
import Ledger
import Postgres
import Web

extension StatementRoutes {
    /// Lists every tenant's statement of a month, for accounting.
    @Sendable
    func listAllStatements(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.statementsRead)
        let query = try Query(request, "period", "limit", "after", "before")
        guard let period = try query.text("period").flatMap({ Month($0) })
        else { throw Problem.invalid(.init("period", "It must be a month, for example 2026-11.")) }
        let page = try query.page
        let statements = try await call.platformDatabase(pool).run(StatementReply.page(page, of: period)).map { try StatementReply($0) }
        return try .json(Page(statements, of: page, id: { $0.id.uuid }) { $0 })
    }
}
