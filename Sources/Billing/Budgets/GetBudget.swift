import Access
import Foundation
import Hummingbird
import Ledger
import Postgres
import Web

extension BudgetRoutes {
    /// The tenant's budget, and how much of it the current month has used.
    @Sendable
    func getBudget(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageRead)
        _ = try Query(request)
        let now = now()
        guard let budget = try await call.database(pool).run(Budget.find(of: call.tenant)).first(Budget.init)
        else { throw Problem.notFound("budget") }
        // As the platform: no tenant's transaction sees what the plans cost.
        let used = try await Budget.used(of: [(call.tenant, budget)], in: Month(now)) { try await PlatformDatabase(pool).run($0) }
        return try .resource(BudgetReply(budget, used: used[call.tenant] ?? 0, at: now), updatedAt: budget.updatedAt)
    }
}
