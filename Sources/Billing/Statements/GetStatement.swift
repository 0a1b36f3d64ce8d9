import Access
import Hummingbird
import Postgres
import Web

extension StatementRoutes {
    @Sendable
    func getStatement(_ request: Request, _ call: TenantContext) async throws -> Response {
        let statement = try await statement(call)
        return try .resource(statement, updatedAt: statement.closed_at)
    }

    /// Returns the same statement as a page for saving or printing.
    @Sendable
    func getStatementPage(_ request: Request, _ call: TenantContext) async throws -> Response {
        StatementPage(try await statement(call)).response
    }

    /// The statement in the path.
    private func statement(_ call: TenantContext) async throws -> StatementReply {
        try call.require(.statementsRead)
        guard let name = call.parameters.get("statement").flatMap({ StatementReply.Name($0) }),
            let statement = try await StatementReply.find(name, of: call.tenant, in: call.database(pool))
        else { throw Problem.notFound("statement") }
        return statement
    }
}
