import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension UsageRoutes {
    /// Sets the budget, in place of one that is there. What the month has used already counts: thresholds that are reached are told of
    /// at once, and again where a new budget has them anew.
    @Sendable
    func setBudget(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageWrite)
        var fields = try await JSONFields(request)
        let logins = fields.integer("logins", 1...1_000_000_000, isRequired: true)
        let isHard = fields.flag("hard") ?? false
        try fields.finish()
        guard let logins else { throw Problem(.invalid, "`logins` is required.") }

        let now = now()
        let (budget, used) = try await call.database(pool).transaction { db in
            let before = try await db.run(Budget.find(of: call.tenant)).first(Budget.init)
            // Of what is not there, nobody has read a version.
            try request.requireMatch(EntityTag(before?.updatedAt ?? .distantPast))
            _ = try await db.run(
                """
                INSERT INTO budget (tenant_id, logins, is_hard, created_at, updated_at)
                VALUES (\(call.tenant), \(logins), \(isHard), \(now), \(now))
                ON CONFLICT (tenant_id) DO UPDATE SET logins = excluded.logins, is_hard = excluded.is_hard, told_period = NULL,
                    told_percent = 0, refused_until = CASE WHEN excluded.is_hard THEN budget.refused_until END,
                    updated_at = \(before.map { now.asChange(after: $0.updatedAt) } ?? now)
                """)
            try await Budget.watch([call.tenant], at: now, in: db)
            let found = try await db.run([Budget.find(of: call.tenant), Budget.used(by: [call.tenant], in: Month(now))])
            let budget = try Budget(found[0][0])
            _ = try await db.run(
                AuditEvent.insert(
                    "setBudget", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: before.map { BudgetReply($0, at: now) }, after: BudgetReply(budget, at: now), at: now))
            return (budget, try found[1].first { try $0.get("logins", as: Int.self) } ?? 0)
        }
        return try .resource(BudgetReply(budget, used: used, at: now), updatedAt: budget.updatedAt)
    }
}
