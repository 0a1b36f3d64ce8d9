package import Access
package import Foundation
package import Ledger
package import Postgres

/// Days of a month, one after another, on which the same prices are in effect for a tenant.
package struct Term: Sendable {
    /// The rate card and the plan of the last day. On earlier days others with equal prices may have been in effect.
    package let rateCard: RateCard
    package let plan: Tenant.Plan
    package let firstDay: Day
    package let lastDay: Day

    package var days: Int { lastDay.number - firstDay.number + 1 }
}

/// From when on a tenant had which plan; nil from when it was deleted.
package struct PlanChange: Sendable {
    package let at: Date
    package let plan: Tenant.Plan?

    package init(at: Date, plan: Tenant.Plan?) {
        (self.at, self.plan) = (at, plan)
    }

    package init(_ row: Row) throws {
        self.init(at: try row.get("effective_at"), plan: try row.get("plan"))
    }

    /// The oldest first.
    package static func all(of tenant: ID<Tenant>) -> SQL {
        "SELECT effective_at, plan FROM tenant_plan WHERE tenant_id = \(tenant) ORDER BY effective_at"
    }
}

extension Term {
    /// What holds on the days of a month, in their order. A day is billed by the last plan that the tenant had on it, so that of the day
    /// on which it was created or deleted all is billed; days on which it was not there are in no term.
    ///
    /// A day with the prices of the day before continues its term, even if plan or rate card differ. Each term has a share of
    /// included logins, tiers and minimum of its own. Another term where no price has changed would cost other amounts.
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
