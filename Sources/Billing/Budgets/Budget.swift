import Access
import Delivery
import Foundation
import Ledger
import Postgres

/// How many logins a tenant means to pay for in a month, or how much money.
///
/// Webhooks hear when half of it, four fifths and all of it are used (`usage.threshold`). A hard one, which nobody has who did not ask for
/// it, also has logins refused from then to the end of the month (`TenantConfiguration.loginsRefusedUntil`): within seconds, not to the
/// login, since what all logins would have to lock would slow each of them down. Who is signed in stays so.
struct Budget: Sendable {
    /// Of it, in per cent.
    static let thresholds = [50, 80, 100]

    /// What it counts, and how much of it there is.
    enum Limit: Equatable, Sendable {
        case logins(Int)
        /// In millionths of the currency's unit: what the month's statement would come to in this currency, base fees and all. What comes
        /// to another currency is not counted.
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
    private let toldPeriod: Month?
    private let toldPercent: Int

    init(_ row: Row) throws {
        limit =
            if let currency = try row.get("currency", as: Currency?.self) {
                .amount(micros: try row.get("amount_micros"), currency)
            } else {
                .logins(try row.get("logins"))
            }
        isHard = try row.get("is_hard")
        refusedUntil = try row.get("refused_until")
        toldPeriod = try row.get("told_period")
        toldPercent = try row.get("told_percent")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT tenant_id, logins, amount_micros, currency, is_hard, told_period, told_percent, refused_until, created_at, updated_at
        FROM budget WHERE tenant_id = \(tenant)
        """
    }

    /// The highest of the thresholds that so much, in what it counts, has reached, in per cent; 0 for none.
    func reached(by used: Int) -> Int {
        Self.thresholds.last { used.multipliedFullWidth(by: 100) >= limit.number.multipliedFullWidth(by: $0) } ?? 0
    }
}

extension Int {
    fileprivate func multipliedFullWidth(by factor: Int) -> Int128 { Int128(self) * Int128(factor) }
}

// MARK: Watching it

extension Budget {
    /// What webhooks hear. One kind of budget has the one members, one the others.
    private struct Told: Encodable {
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

    /// Keeps budgets from being set while what was added up is compared with them: of a budget and logins that come at the same time,
    /// each would not see the other, and nobody would tell of a threshold. The number is "budg" in ASCII. Who adds up holds it shared and
    /// only for the comparison; who sets a budget takes it alone, before anything else.
    static let beingWatched: SQL = "SELECT pg_advisory_xact_lock_shared(1651860583, 0)"
    static let beingSet: SQL = "SELECT pg_advisory_xact_lock(1651860583, 0)"

    /// Compares what was added up for these tenants with their budgets, in the transaction that did: each threshold is told of once in
    /// a month, and logins are refused, or no longer refused, as it then has to be.
    ///
    /// - Parameters:
    ///   - month: the current one, or the one before, of which logins may come to light when it is over: then only thresholds are told, and
    ///     only while nothing of the current month was.
    ///   - plansCards: the plans' rate cards, where the transaction does not see them.
    static func watch(
        _ tenants: [ID<Tenant>], of month: Month, plansCards: [RateCard] = [], at now: Date, in db: Transaction
    ) async throws {
        guard !tenants.isEmpty else { return }
        // Who changes a budget waits, and then sees the new sums.
        let budgets = try await db.run(
            """
            SELECT tenant_id, logins, amount_micros, currency, is_hard, told_period, told_percent, refused_until, created_at, updated_at
            FROM budget WHERE tenant_id = ANY(\(tenants)) ORDER BY tenant_id FOR UPDATE
            """
        ).map { (tenant: try $0.get("tenant_id", as: ID<Tenant>.self), budget: try Budget($0)) }
        guard !budgets.isEmpty else { return }
        let sums = try await used(of: budgets, in: month, plansCards: plansCards) { try await db.run($0) }
        let statements = try budgets.flatMap { tenant, budget in
            try sums[tenant].map { try budget.watch(tenant, used: $0, in: month, at: now) } ?? []
        }
        if !statements.isEmpty { _ = try await db.run(statements) }
    }

    /// The highest percentage of a month that was told. Nil of a month that is over where there is nothing more to tell: a later one was
    /// told of, or the budget was set afterwards.
    private func told(of month: Month, at now: Date) -> Int? {
        if toldPeriod == month { return toldPercent }
        if month < Month(now), updatedAt >= month.end || toldPeriod.map({ $0 > month }) ?? false { return nil }
        return 0
    }

    private func watch(_ tenant: ID<Tenant>, used: Int, in month: Month, at now: Date) throws -> [SQL] {
        let reached = reached(by: used)
        guard let told = told(of: month, at: now) else { return [] }
        let refused = isHard && reached >= 100 && month == Month(now)
        var statements = try Self.thresholds.filter { told < $0 && $0 <= reached }.map { percent in
            try WebhookEvent.emit(
                .usageThreshold,
                data: Told(self, used: used, percent: percent, in: month, refusesLogins: refused && percent == 100),
                owner: tenant.uuid, at: now)
        }
        if reached > told {
            statements.append(
                "UPDATE budget SET told_period = \(month), told_percent = \(reached) WHERE tenant_id = \(tenant)")
        }
        guard month == Month(now) else { return statements }
        // A statement of its own: it empties what every process keeps of the tenant.
        let until = refused ? month.end : nil
        if refusedUntil != until {
            statements.append("UPDATE budget SET refused_until = \(until) WHERE tenant_id = \(tenant)")
        }
        return statements
    }
}
