import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension UsageRoutes {
    /// The tenant's budget, and how much of it the current month has used.
    @Sendable
    func getBudget(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageRead)
        _ = try Query(request)
        let now = now()
        let found = try await call.database(pool).run([Budget.find(of: call.tenant), Budget.used(by: [call.tenant], in: Month(now))])
        guard let budget = try found[0].first(Budget.init) else { throw Problem.notFound("budget") }
        let used = try found[1].first { try $0.get("logins", as: Int.self) } ?? 0
        return try .resource(BudgetReply(budget, used: used, at: now), updatedAt: budget.updatedAt)
    }
}
