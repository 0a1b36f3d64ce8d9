import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension BudgetRoutes {
    /// Deletes the budget. From now on, nothing is reported and no login is refused because of it.
    @Sendable
    func deleteBudget(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        try await call.database(pool).transaction { db in
            let removed = try await db.run(
                """
                DELETE FROM budget WHERE tenant_id = \(call.tenant)
                RETURNING tenant_id, logins, amount_micros, currency, is_hard, told_period, told_percent, refused_until, created_at,
                    updated_at
                """)
            guard let budget = try removed.first(Budget.init) else { throw Problem.notFound("budget") }
            try request.requireMatch(EntityTag(budget.updatedAt))
            _ = try await db.run(
                AuditEvent.insert(
                    "deleteBudget", of: call.tenant.description, owner: call.owner, by: call.origin, before: BudgetReply(budget, at: now),
                    at: now))
        }
        return .noContent
    }
}
