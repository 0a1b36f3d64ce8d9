import Foundation
import Postgres
import Tenancy

/// How many logins a tenant means to pay for in a month.
///
/// Webhooks hear when half of it, four fifths and all of it are used (`usage.threshold`). A hard one, which nobody has who did not ask for
/// it, also has logins refused from then to the end of the month (`TenantConfiguration.loginsRefusedUntil`): within seconds, not to the
/// login, since what all logins would have to lock would slow each of them down. Who is signed in stays so.
struct Budget: Sendable {
    /// Of it, in per cent.
    static let thresholds = [50, 80, 100]

    let logins: Int
    let isHard: Bool
    let refusedUntil: Date?
    let createdAt, updatedAt: Date
    private let toldPeriod: Month?
    private let toldPercent: Int

    init(_ row: Row) throws {
        logins = try row.get("logins")
        isHard = try row.get("is_hard")
        refusedUntil = try row.get("refused_until")
        toldPeriod = try row.get("told_period")
        toldPercent = try row.get("told_percent")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT tenant_id, logins, is_hard, told_period, told_percent, refused_until, created_at, updated_at FROM budget
        WHERE tenant_id = \(tenant)
        """
    }

    /// How many of a month's logins were added up for tenants.
    static func used(by tenants: [ID<Tenant>], in month: Month) -> SQL {
        """
        SELECT tenant_id, sum(events)::bigint AS logins FROM usage_day
        WHERE tenant_id = ANY(\(tenants)) AND day >= \(month.firstDay) AND day <= \(month.lastDay) AND kind = \(UsageEvent.Kind.login)
        GROUP BY tenant_id
        """
    }

    /// The highest of the thresholds that so many logins have reached, in per cent; 0 for none.
    func reached(by used: Int) -> Int {
        Self.thresholds.last { used.multipliedFullWidth(by: 100) >= logins.multipliedFullWidth(by: $0) } ?? 0
    }
}

extension Int {
    fileprivate func multipliedFullWidth(by factor: Int) -> Int128 { Int128(self) * Int128(factor) }
}

// MARK: Watching it

extension Budget {
    /// What webhooks hear.
    private struct Told: Encodable {
        let period: Month
        let percent: Int
        let logins: Int
        let budget_logins: Int
        let logins_refused: Bool
    }

    /// Compares what was added up for these tenants with their budgets, in the transaction that did: each threshold is told of once in
    /// a month, and logins are refused, or no longer refused, as it then has to be.
    static func watch(_ tenants: [ID<Tenant>], at now: Date, in db: Transaction) async throws {
        guard !tenants.isEmpty else { return }
        let month = Month(now)
        // Who changes a budget waits, and then sees the new sums.
        let budgets = try await db.run(
            """
            SELECT tenant_id, logins, is_hard, told_period, told_percent, refused_until, created_at, updated_at FROM budget
            WHERE tenant_id = ANY(\(tenants)) ORDER BY tenant_id FOR UPDATE
            """
        ).map { (tenant: try $0.get("tenant_id", as: ID<Tenant>.self), budget: try Budget($0)) }
        guard !budgets.isEmpty else { return }
        let sums = Dictionary(
            uniqueKeysWithValues: try await db.run(used(by: budgets.map(\.tenant), in: month)).map { row in
                (try row.get("tenant_id", as: ID<Tenant>.self), try row.get("logins", as: Int.self))
            })
        let statements = try budgets.flatMap { try $0.budget.watch($0.tenant, used: sums[$0.tenant] ?? 0, in: month, at: now) }
        if !statements.isEmpty { _ = try await db.run(statements) }
    }

    private func watch(_ tenant: ID<Tenant>, used: Int, in month: Month, at now: Date) throws -> [SQL] {
        let reached = reached(by: used)
        let told = toldPeriod == month ? toldPercent : 0
        let refused = isHard && reached >= 100
        var statements = try Self.thresholds.filter { told < $0 && $0 <= reached }.map { percent in
            try WebhookEvent.emit(
                .usageThreshold,
                data: Told(
                    period: month, percent: percent, logins: used, budget_logins: logins, logins_refused: refused && percent == 100),
                owner: tenant.uuid, at: now)
        }
        if reached > told {
            statements.append(
                "UPDATE budget SET told_period = \(month), told_percent = \(reached) WHERE tenant_id = \(tenant)")
        }
        // A statement of its own: it empties what every process keeps of the tenant.
        let until = refused ? month.end : nil
        if refusedUntil != until {
            statements.append("UPDATE budget SET refused_until = \(until) WHERE tenant_id = \(tenant)")
        }
        return statements
    }
}

// MARK: How it is told

/// A budget as the API shows it.
struct BudgetReply: Encodable {
    struct OfMonth: Encodable {
        let period: Month
        let logins: Int
        /// Rounded down.
        let percent: Int
    }

    let object = "budget"
    let logins: Int
    let hard: Bool
    let current: OfMonth?
    let logins_refused_until: Date?
    let created_at, updated_at: Date

    init(_ budget: Budget, used: Int? = nil, at now: Date) {
        (logins, hard) = (budget.logins, budget.isHard)
        current = used.map { OfMonth(period: Month(now), logins: $0, percent: Int(Int128($0) * 100 / Int128(budget.logins))) }
        logins_refused_until = budget.refusedUntil.flatMap { $0 > now ? $0 : nil }
        (created_at, updated_at) = (budget.createdAt, budget.updatedAt)
    }
}
