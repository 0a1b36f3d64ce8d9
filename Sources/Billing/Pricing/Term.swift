package import Access
package import Foundation
package import Ledger
package import Postgres

/// Consecutive days of a month with the same prices for a tenant.
package struct Term: Sendable {
    /// The rate card and the plan of the last day. On earlier days, others with equal prices may have been in effect.
    package let rateCard: RateCard
    package let plan: Tenant.Plan
    package let firstDay: Day
    package let lastDay: Day

    package var days: Int { lastDay.number - firstDay.number + 1 }
}

/// The start of a tenant's plan. The plan is nil after the tenant's deletion.
package struct PlanChange: Sendable {
    package let at: Date
    package let plan: Tenant.Plan?

    package init(at: Date, plan: Tenant.Plan?) {
        (self.at, self.plan) = (at, plan)
    }

    package init(_ row: Row) throws {
        self.init(at: try row.get("effective_at"), plan: try row.get("plan"))
    }

    /// Oldest first.
    package static func all(of tenant: ID<Tenant>) -> SQL {
        "SELECT effective_at, plan FROM tenant_plan WHERE tenant_id = \(tenant) ORDER BY effective_at"
    }
}

extension Term {
    /// The terms of the days of a month, in order. A day is billed by the tenant's last plan on that day, so the days of creation and
    /// deletion are billed completely. Days without the tenant are in no term.
    ///
    /// A day with the same prices as the previous day continues its term, even if plan or rate card differ. Each term has its own share of
    /// included logins, tiers and minimum. A new term without a change of prices would give other amounts.
    package static func all(of month: Month, plans: [PlanChange], rateCards: [RateCard]) -> [Term] {
        let plans = plans.sorted { $0.at < $1.at }
        var terms: [Term] = []
        for number in month.firstDay.number...month.lastDay.number {
            let day = Day(number: number)
            guard let plan = plan(on: day, plans), let card = rateCards.holding(on: day, plan: plan) else { continue }
            if let last = terms.last, last.rateCard.prices == card.prices, last.lastDay + 1 == day {
                terms[terms.count - 1] = Term(rateCard: card, plan: plan, firstDay: last.firstDay, lastDay: day)
            } else {
                terms.append(Term(rateCard: card, plan: plan, firstDay: day, lastDay: day))
            }
        }
        return terms
    }

    private static func plan(on day: Day, _ changes: [PlanChange]) -> Tenant.Plan? {
        let before = changes.last { $0.at < day.start }
        let during = changes.filter { Day($0.at) == day }
        return ([before].compactMap(\.self) + during).last { $0.plan != nil }?.plan
    }
}
