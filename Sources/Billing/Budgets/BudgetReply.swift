import Foundation
import Ledger

/// A number in the unit of a budget, as the API writes it. A budget in logins has other members than a budget in money.
struct AmountOrLogins {
    let logins: Int?
    let micros: Int?
    let text: String?
    let currency: Currency?

    init(_ number: Int, of limit: Budget.Limit) {
        switch limit {
        case .logins: (logins, micros, text, currency) = (number, nil, nil, nil)
        case .amount(_, let currency):
            (logins, micros, text, self.currency) = (nil, number, currency.text(micros: number), currency)
        }
    }
}

/// A budget as callers see it.
struct BudgetReply: Encodable {
    struct OfMonth: Encodable {
        let period: Month
        let logins: Int?
        let amount_micros: Int?
        let amount: String?
        /// Rounded down.
        let percent: Int
    }

    let object = "budget"
    let logins: Int?
    let amount_micros: Int?
    let amount: String?
    let currency: Currency?
    let hard: Bool
    let current: OfMonth?
    let logins_refused_until: Date?
    let created_at, updated_at: Date

    init(_ budget: Budget, used: Int? = nil, at now: Date) {
        let limit = AmountOrLogins(budget.limit.number, of: budget.limit)
        (logins, amount_micros, amount, currency) = (limit.logins, limit.micros, limit.text, limit.currency)
        hard = budget.isHard
        current = used.map { number in
            let used = AmountOrLogins(number, of: budget.limit)
            // Corrections under volume prices can make the amount of a month negative.
            let percent = Int(Int128(max(0, number)) * 100 / Int128(budget.limit.number))
            return OfMonth(period: Month(now), logins: used.logins, amount_micros: used.micros, amount: used.text, percent: percent)
        }
        logins_refused_until = budget.refusedUntil.flatMap { $0 > now ? $0 : nil }
        (created_at, updated_at) = (budget.createdAt, budget.updatedAt)
    }
}
