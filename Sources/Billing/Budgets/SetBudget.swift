import Access
import Encoding
import Foundation
import Hummingbird
import Ledger
import Postgres
import Web

extension BudgetRoutes {
    /// Sets or replaces the budget. The usage of the current month counts. Thresholds that are already reached are reported at once, for
    /// each new budget again.
    @Sendable
    func setBudget(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let limit = Budget.Limit.read(&fields)
        let isHard = fields.flag("hard") ?? false
        try fields.finish()
        guard let limit else { throw Problem(.invalid, "A budget needs `logins`, or `amount_micros` and `currency`.") }

        let now = now()
        let (budget, used) = try await call.database(pool).transaction { db in
            _ = try await db.run(Budget.beingSet)
            let before = try await db.run(Budget.find(of: call.tenant)).first(Budget.init)
            // A missing budget has no version that the caller can have read.
            try request.requireMatch(EntityTag(before?.updatedAt ?? .distantPast))
            // The same budget again is not a change: it leaves no audit event, and its thresholds are not reported again.
            if let before, before.limit == limit, before.isHard == isHard {
                let used = try await Budget.used(of: [(call.tenant, before)], in: Month(now), in: db)
                return (before, used[call.tenant] ?? 0)
            }
            _ = try await db.run(
                """
                INSERT INTO budget (tenant_id, logins, amount_micros, currency, is_hard, created_at, updated_at)
                VALUES (\(call.tenant), \(limit.logins), \(limit.micros), \(limit.currency), \(isHard), \(now), \(now))
                ON CONFLICT (tenant_id) DO UPDATE SET logins = excluded.logins, amount_micros = excluded.amount_micros,
                    currency = excluded.currency, is_hard = excluded.is_hard, told_period = NULL, told_percent = 0,
                    refused_until = CASE WHEN excluded.is_hard THEN budget.refused_until END,
                    updated_at = \(before.map { now.asChange(after: $0.updatedAt) } ?? now)
                """)
            try await Budget.watch([call.tenant], of: Month(now), at: now, in: db)
            let budget = try Budget(try await db.run(Budget.find(of: call.tenant))[0])
            let used = try await Budget.used(of: [(call.tenant, budget)], in: Month(now), in: db)
            _ = try await db.run(
                AuditEvent.insert(
                    "setBudget", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: before.map { BudgetReply($0, at: now) }, after: BudgetReply(budget, at: now), at: now))
            return (budget, used[call.tenant] ?? 0)
        }
        return try .resource(BudgetReply(budget, used: used, at: now), updatedAt: budget.updatedAt)
    }
}

extension Budget.Limit {
    /// Reads the limit from a body. Nil if a part of it was refused.
    fileprivate static func read(_ fields: inout JSONFields) -> Budget.Limit? {
        func isGiven(_ name: String) -> Bool { fields.has(name) && !fields.isNull(name) }
        let (hasLogins, hasAmount, hasCurrency) = (isGiven("logins"), isGiven("amount_micros"), isGiven("currency"))
        let logins = fields.integer("logins", 1...1_000_000_000)
        let micros = fields.integer("amount_micros", 1...Prices.largestFeeMicros)
        let currency = fields.text("currency", 3...3) {
            Currency($0) == nil ? "It must be a currency code of ISO 4217, for example USD." : nil
        }
        switch (hasLogins, hasAmount, hasCurrency) {
        case (true, false, false): return logins.map { .logins($0) }
        case (false, true, true):
            guard let micros, let currency = currency.flatMap(Currency.init) else { return nil }
            return .amount(micros: micros, currency)
        case (true, _, _): fields.refuse("logins", "It cannot be combined with an amount. A budget counts either logins or money.")
        case (false, false, false): fields.refuse("logins", "It is required, unless you set `amount_micros` and `currency`.")
        case (false, true, false): fields.refuse("currency", "It is required with `amount_micros`.")
        case (false, false, true): fields.refuse("amount_micros", "It is required with `currency`.")
        }
        return nil
    }
}
