package import Access
import Foundation
import Ledger
import Postgres
package import Sealing
package import Tenancy

extension Budget {
    /// The use of each of these budgets in a month, in its unit: aggregated logins, or millionths of its currency. The amount is the same
    /// as on the month's upcoming statement.
    ///
    /// - Returns: the results, without tenants whose month cannot be rated.
    static func used(
        of budgets: [(tenant: ID<Tenant>, budget: Budget)], in month: Month, in db: some StatementRunner
    ) async throws -> [ID<Tenant>: Int] {
        let ofLogins = budgets.filter { $0.budget.limit.currency == nil }.map(\.tenant)
        let ofMoney = budgets.compactMap { tenant, budget in budget.limit.currency.map { (tenant, $0) } }
        // This is one round trip for any number of budgets. Late logins need one more.
        var batch = Statements()
        let logins = ofLogins.isEmpty ? nil : batch.append(BilledEvents.logins(of: ofLogins, in: month))
        let accounts = ofMoney.map { tenant, currency in
            (
                tenant: tenant, currency: currency, plans: batch.append(PlanChange.all(of: tenant)),
                rateCards: batch.append(RateCard.all(for: tenant)), events: batch.append(BilledEvents.summed(of: tenant, in: month))
            )
        }
        let results = try await db.run(batch)
        var used = Dictionary(uniqueKeysWithValues: ofLogins.map { ($0, 0) })
        if let logins {
            for row in results[logins] { used[try row.get("tenant_id")] = try row.get("logins", as: Int.self) }
        }
        for account in accounts {
            let prices = try PriceHistory(plans: results[account.plans], rateCards: results[account.rateCards])
            let events = try BilledEvents(summed: results[account.events])
            do {
                let bill = try await Bill(of: account.tenant, in: month, events: events, by: prices, from: db)
                used[account.tenant] = bill.totals[account.currency] ?? 0
            } catch  where error is Bill.NoPrices || error is Rating.TooMany {
                // Invalid prices of one tenant must not block the aggregation for the others.
            }
        }
        return used
    }

    /// Compares new sums with budgets, in the transaction that adds them up (`RollUp`).
    @Sendable
    package static func watch(_ added: [(tenant: ID<Tenant>, month: Month)], at now: Date, in db: Transaction) async throws {
        _ = try await db.run(beingWatched)
        let month = Month(now)
        // Events from the last seconds of a month are aggregated in the next month. The previous month comes first, because a
        // notification for the current month ends the notifications for the previous one.
        try await watch(added.filter { $0.month == month.previous }.map(\.tenant), of: month.previous, at: now, in: db)
        try await watch(Array(Set(added.map(\.tenant))), of: month, at: now, in: db)
    }

    /// Checks all budgets in money again. The amount of a month can change without a login: with plans, with prices, and at the start of a
    /// month.
    static func watchAmounts(in database: PlatformDatabase, batch: Int = 100, at now: Date) async throws {
        var last = ID<Tenant>(UUID.platform)
        while true {
            let (behind, count) = (last, batch)
            let tenants = try await database.transaction { db in
                let tenants = try await db.run(
                    """
                    SELECT tenant_id FROM budget WHERE currency IS NOT NULL AND tenant_id > \(behind) ORDER BY tenant_id LIMIT \(count)
                    """
                ).map { try $0.get("tenant_id", as: ID<Tenant>.self) }
                try await watch(tenants, of: Month(now), at: now, in: db)
                return tenants
            }
            guard tenants.count == batch, let end = tenants.last else { return }
            last = end
        }
    }
}

extension Budget.Limit {
    var logins: Int? { if case .logins(let number) = self { number } else { nil } }
    var micros: Int? { if case .amount(let micros, _) = self { micros } else { nil } }
    var currency: Currency? { if case .amount(_, let currency) = self { currency } else { nil } }
}

extension RollUp {
    /// Adds up, and compares the new sums with the tenants' budgets.
    package init(database: PlatformDatabase) {
        self.init(database: database, watch: Budget.watch)
    }
}

extension TenantDirectory {
    /// Finds tenants, with the budgets that refuse logins.
    package convenience init(database: PlatformDatabase, keyring: Keyring, brands: BrandSource, domains: DomainSource) {
        self.init(database: database, keyring: keyring, brands: brands, domains: domains) {
            "SELECT refused_until FROM budget WHERE tenant_id = \(part: $0)"
        }
    }
}
