import Access
import Delivery
import Foundation
import Ledger
import Postgres

/// A monthly limit of a tenant, in logins or in money.
///
/// Webhooks report when 50%, 80% and 100% of it are used (`usage.threshold`). A hard budget also refuses logins from then until the end of
/// the month (`TenantConfiguration.loginsRefusedUntil`). Only a tenant that asks for it has a hard budget. It takes effect within seconds,
/// not exactly at the limit, because a lock for all logins would slow each of them down. Existing sessions continue.
struct Budget: Sendable {
    /// The reported parts of the budget, in percent.
    static let thresholds = [50, 80, 100]

    /// The unit and the size of the budget.
    enum Limit: Equatable, Sendable {
        case logins(Int)
        /// In millionths of the currency's unit: the total of the month's statement in this currency, including base fees. Amounts in other
        /// currencies do not count.
        case amount(micros: Int, Currency)

        var number: Int {
            switch self {
            case .logins(let number), .amount(let number, _): number
            }
        }
    }

    let limit: Limit
    let isHard: Bool
    let refusedUntil: Date?
    let createdAt, updatedAt: Date
    private let reportedPeriod: Month?
    private let reportedPercent: Int

    init(_ row: Row) throws {
        limit =
            if let currency = try row.get("currency", as: Currency?.self) {
                .amount(micros: try row.get("amount_micros"), currency)
            } else {
                .logins(try row.get("logins"))
            }
        isHard = try row.get("is_hard")
        refusedUntil = try row.get("refused_until")
        reportedPeriod = try row.get("told_period")
        reportedPercent = try row.get("told_percent")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT tenant_id, logins, amount_micros, currency, is_hard, told_period, told_percent, refused_until, created_at, updated_at
        FROM budget WHERE tenant_id = \(tenant)
        """
    }

    /// The highest threshold that this usage has reached, in percent. 0 for none.
    func reached(by used: Int) -> Int {
        Self.thresholds.last { used.multipliedFullWidth(by: 100) >= limit.number.multipliedFullWidth(by: $0) } ?? 0
    }
}

extension Int {
    fileprivate func multipliedFullWidth(by factor: Int) -> Int128 { Int128(self) * Int128(factor) }
}

// MARK: Thresholds

extension Budget {
    /// The webhook data. A budget in logins has other members than a budget in money.
    private struct ReachedThreshold: Encodable {
        let period: Month
        let percent: Int
        let logins, budget_logins: Int?
        let currency: Currency?
        let amount_micros, budget_amount_micros: Int?
        let amount, budget_amount: String?
        let logins_refused: Bool

        init(_ budget: Budget, used: Int, percent: Int, in period: Month, refusesLogins: Bool) {
            (self.period, self.percent, logins_refused) = (period, percent, refusesLogins)
            let used = AmountOrLogins(used, of: budget.limit)
            let limit = AmountOrLogins(budget.limit.number, of: budget.limit)
            (logins, amount_micros, amount, currency) = (used.logins, used.micros, used.text, used.currency)
            (budget_logins, budget_amount_micros, budget_amount) = (limit.logins, limit.micros, limit.text)
        }
    }

    /// Prevents changes of budgets while aggregated usage is compared with them. Otherwise a new budget and new logins at the same time
    /// would not see each other, and no threshold would be reported.
    ///
    /// The number is "budg" in ASCII. The aggregation takes the lock as shared, only for the comparison. A change of a budget takes it
    /// exclusively, before anything else.
    static let beingWatched: SQL = "SELECT pg_advisory_xact_lock_shared(1651860583, 0)"
    static let beingSet: SQL = "SELECT pg_advisory_xact_lock(1651860583, 0)"

    /// Compares the aggregated usage of these tenants with their budgets, in the transaction that aggregates it. It reports each threshold
    /// once per month, and starts or stops refusing logins.
    ///
    /// - Parameters:
    /// - month: the current month, or the previous one, whose last logins may become visible later. For the previous month it only reports
    ///   thresholds, and only until it has reported one of the current month.
    static func watch(
        _ tenants: [ID<Tenant>], of month: Month, at now: Date, in db: Transaction
    ) async throws {
        guard !tenants.isEmpty else { return }
        // A concurrent change of a budget waits, and then sees the new sums.
        let budgets = try await db.run(
            """
            SELECT tenant_id, logins, amount_micros, currency, is_hard, told_period, told_percent, refused_until, created_at, updated_at
            FROM budget WHERE tenant_id = ANY(\(tenants)) ORDER BY tenant_id FOR UPDATE
            """
        ).map { (tenant: try $0.get("tenant_id", as: ID<Tenant>.self), budget: try Budget($0)) }
        guard !budgets.isEmpty else { return }
        let sums = try await used(of: budgets, in: month, in: db)
        let statements = try budgets.flatMap { tenant, budget in
            try sums[tenant].map { try budget.watch(tenant, used: $0, in: month, at: now) } ?? []
        }
        if !statements.isEmpty { _ = try await db.run(statements) }
    }

    /// The highest reported percentage of a month. Nil for a past month with nothing more to report: a later month was reported, or the
    /// budget was set afterwards.
    private func reported(of month: Month, at now: Date) -> Int? {
        if reportedPeriod == month { return reportedPercent }
        if month < Month(now), updatedAt >= month.end || reportedPeriod.map({ $0 > month }) ?? false { return nil }
        return 0
    }

    private func watch(_ tenant: ID<Tenant>, used: Int, in month: Month, at now: Date) throws -> [SQL] {
        let reached = reached(by: used)
        guard let reported = reported(of: month, at: now) else { return [] }
        let refused = isHard && reached >= 100 && month == Month(now)
        var statements = try Self.thresholds.filter { reported < $0 && $0 <= reached }.map { percent in
            try WebhookEvent.emit(
                .usageThreshold,
                data: ReachedThreshold(self, used: used, percent: percent, in: month, refusesLogins: refused && percent == 100),
                owner: tenant.uuid, at: now)
        }
        if reached > reported {
            statements.append(
                "UPDATE budget SET told_period = \(month), told_percent = \(reached) WHERE tenant_id = \(tenant)")
        }
        guard month == Month(now) else { return statements }
        // A separate statement, because it empties every process's cache of the tenant.
        let until = refused ? month.end : nil
        if refusedUntil != until {
            statements.append("UPDATE budget SET refused_until = \(until) WHERE tenant_id = \(tenant)")
        }
        return statements
    }
}
