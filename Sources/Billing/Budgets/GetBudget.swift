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
        guard let budget = try await call.database(pool).run(Budget.find(of: call.tenant)).first(Budget.init)
        else { throw Problem.notFound("budget") }
        // Uses the platform's rights, because a tenant's transaction does not see the plans' prices.
        let used = try await Budget.used(of: [(call.tenant, budget)], in: Month(now)) { try await PlatformDatabase(pool).run($0) }
        return try .resource(BudgetReply(budget, used: used[call.tenant] ?? 0, at: now), updatedAt: budget.updatedAt)
    }
}
