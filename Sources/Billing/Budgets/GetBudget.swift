import Access
import Foundation
import Hummingbird
import Ledger
import Postgres
import Web

extension BudgetRoutes {
    /// Returns the tenant's budget and its use in the current month.
    @Sendable
    func getBudget(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageRead)
        _ = try Query(request)
        let now = now()
        let database = call.database(pool)
        guard let budget = try await database.run(Budget.find(of: call.tenant)).first(Budget.init)
        else { throw Problem.notFound("budget") }
        let used = try await Budget.used(of: [(call.tenant, budget)], in: Month(now), in: database)
        return try .resource(BudgetReply(budget, used: used[call.tenant] ?? 0, at: now), updatedAt: budget.updatedAt)
    }
}
