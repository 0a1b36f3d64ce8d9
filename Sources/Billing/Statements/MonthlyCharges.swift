import Access
package import Ledger

/// The charges of a month by its terms: a pure function of numbers and prices. It calls `Rating` for each term.
///
/// A day outside all terms counts for the next term, or for the last one. So a login on another server's clock while the tenant is created
/// or deleted is still billed.
package enum MonthlyCharges {
    /// The lines of a closed month.
    ///
    /// - Parameters:
    /// - terms: the terms of this month, in order.
    /// - spare: rates logins without fees if there are no terms.
    /// - events: the logins by day of this month.
    /// - silent: the silent sign-ins by day of this month.
    /// - Throws: `Rating.TooMany`
    package static func lines(
        of month: Month, terms: [Term], spare: Term?, events: [Day: Int], silent: [Day: Int] = [:]
    ) throws -> [StatementLine] {
        let rated = terms.isEmpty && !(events.isEmpty && silent.isEmpty) ? [spare].compactMap(\.self) : terms
        return try zip(rated, zip(counts(events, by: rated), counts(silent, by: rated))).flatMap { term, number in
            try charges(for: number, by: term, of: month, withFees: !terms.isEmpty).map {
                StatementLine($0, of: month, by: term, isPart: term.days < month.days)
            }
        }
    }

    /// Corrections for late logins and silent sign-ins. They cost the price of their month with them, minus its price without them. The
    /// prices are those of that month, and the tiers continue where they ended.
    ///
    /// - Parameters:
    /// - billed: the billed logins by day of this month, from its own statement and all later corrections.
    /// - late: the logins that are not billed yet.
    /// - silent: the same numbers of silent sign-ins.
    /// - Throws: `Rating.TooMany`
    package static func corrections(
        of month: Month, terms: [Term], spare: Term?, billed: [Day: Int], late: [Day: Int],
        silent: (billed: [Day: Int], late: [Day: Int]) = ([:], [:])
    ) throws -> [StatementLine] {
        let rated = terms.isEmpty ? [spare].compactMap(\.self) : terms
        let billed = zip(counts(billed, by: rated), counts(silent.billed, by: rated))
        let late = zip(counts(late, by: rated), counts(silent.late, by: rated))
        return try zip(rated, zip(billed, late)).flatMap { term, numbers in
            let (billed, late) = numbers
            // First the late logins are added, then the late silent sign-ins.
            let steps = [billed, (billed.0 + late.0, billed.1), (billed.0 + late.0, billed.1 + late.1)]
            let prices = term.rateCard.prices
            return try [
                (StatementLine.Kind.correction, "logins", late.0, prices.tiers.map(\.unit_price_micros), steps[0], steps[1]),
                (.silentCorrection, "silent sign-ins", late.1, [prices.silentLoginMicros], steps[1], steps[2]),
            ].filter { $0.2 > 0 }.map { kind, name, quantity, unitPrices, earlier, later in
                let before = try charges(for: earlier, by: term, of: month, withFees: !terms.isEmpty)
                let after = try charges(for: later, by: term, of: month, withFees: !terms.isEmpty)
                func difference(_ amount: (Rating.Charge) -> Int) -> Int {
                    after.reduce(0) { $0 + amount($1) } - before.reduce(0) { $0 + amount($1) }
                }
                let exact = difference(\.exactMicros)
                let price = exact % quantity == 0 ? exact / quantity : nil
                return StatementLine(
                    kind: kind, servicePeriod: month, firstDay: term.firstDay, lastDay: term.lastDay, plan: term.plan,
                    rateCard: term.rateCard.id, rateCardVersion: term.rateCard.version, ownRateCard: term.rateCard.plan == nil,
                    description: "Late \(name) of \(month)", quantity: quantity,
                    unitPriceMicros: unitPrices.contains { $0 == price } || exact == 0 ? price : nil,
                    currency: prices.currency, exactMicros: exact, amountMicros: difference(\.amountMicros))
            }
        }
    }

    /// - Parameter number: the numbers of logins and of silent sign-ins.
    private static func charges(for number: (Int, Int), by term: Term, of month: Month, withFees: Bool) throws -> [Rating.Charge] {
        try Rating.charges(
            for: number.0, silent: number.1, by: term.rateCard.prices, over: Rating.Share(days: term.days, of: month.days),
            withFees: withFees)
    }

    /// The number of events of each term.
    private static func counts(_ events: [Day: Int], by terms: [Term]) -> [Int] {
        var counts = terms.map { _ in 0 }
        for (day, events) in events where !terms.isEmpty {
            counts[terms.firstIndex { day <= $0.lastDay } ?? terms.count - 1] += events
        }
        return counts
    }
}

extension Term {
    /// The term that rates logins of a month in which the tenant had no plan: its last plan before, or its first plan after.
    static func spare(of month: Month, plans: [PlanChange], rateCards: [RateCard]) -> Term? {
        let before = plans.last { $0.plan != nil && $0.at < month.end }
        let plan = (before ?? plans.first { $0.plan != nil })?.plan ?? .free
        return rateCards.holding(on: month.lastDay, plan: plan).map {
            Term(rateCard: $0, plan: plan, firstDay: month.firstDay, lastDay: month.lastDay)
        }
    }
}

extension StatementLine {
    /// - Parameter isPart: whether the term is only a part of the month.
    fileprivate init(_ charge: Rating.Charge, of month: Month, by term: Term, isPart: Bool) {
        let (kind, words): (Kind, String) =
            switch charge.kind {
            case .baseFee: (.baseFee, "Base fee")
            case .included: (.included, "Included logins")
            case .logins(let from, let to):
                (
                    .logins,
                    term.rateCard.prices.tiers.count == 1 || charge.quantity == 0
                        ? "Logins"
                        : term.rateCard.prices.tierMode == .volume
                            ? "Logins, all at the price of their number" : "Logins \(from.grouped) to \(to.grouped)"
                )
            case .silentLogins: (.silentLogins, "Silent sign-ins")
            case .minimum: (.minimum, "Up to the minimum")
            }
        self.init(
            kind: kind, servicePeriod: month, firstDay: term.firstDay, lastDay: term.lastDay, plan: term.plan,
            rateCard: term.rateCard.id, rateCardVersion: term.rateCard.version, ownRateCard: term.rateCard.plan == nil,
            description: words + (isPart ? ", \(term.firstDay) to \(term.lastDay)" : ""), quantity: charge.quantity,
            unitPriceMicros: charge.unitPriceMicros, currency: term.rateCard.prices.currency, exactMicros: charge.exactMicros,
            amountMicros: charge.amountMicros)
    }
}

extension Int {
    /// `1,234,567`.
    var grouped: String {
        var text = String(magnitude)
        var end = text.endIndex
        while let start = text.index(end, offsetBy: -3, limitedBy: text.startIndex), start > text.startIndex {
            text.insert(",", at: start)
            end = start
        }
        return (self < 0 ? "-" : "") + text
    }
}
