/// The cost of a month with a number of logins and silent sign-ins, and the next change of the price per login.
package struct Estimate: Sendable {
    /// The next number of logins with another price.
    package struct NextTier: Hashable, Sendable {
        /// The first login of the month in this tier, counted from 1, including the included logins.
        package let fromLogin: Int
        package let unitPriceMicros: Int
        /// The cost of a month with exactly this number of logins, and the same silent sign-ins. With volume prices it can be lower.
        package let totalMicros: Int
    }

    package let charges: [Rating.Charge]
    package let totalMicros: Int
    /// Nil in the last tier, and if the next tier starts beyond the largest number.
    package let nextTier: NextTier?

    /// - Throws: `Rating.TooMany` for more logins than `Prices.mostLogins`.
    package init(logins: Int, silent: Int = 0, by prices: Prices) throws {
        charges = try Rating.charges(for: logins, silent: silent, by: prices)
        totalMicros = charges.reduce(0) { $0 + $1.amountMicros }
        nextTier = try Self.tier(behind: logins, prices).flatMap { from, unitPrice in
            guard from <= Prices.mostLogins else { return nil }
            let total = try Rating.charges(for: from, silent: silent, by: prices).reduce(0) { $0 + $1.amountMicros }
            return NextTier(fromLogin: from, unitPriceMicros: unitPrice, totalMicros: total)
        }
    }

    /// The tier after the tier of the last login: its first login and its price. The included logins count as a tier before the first one.
    private static func tier(behind logins: Int, _ prices: Prices) -> (from: Int, unitPriceMicros: Int)? {
        let included = prices.includedLogins
        if included > 0, logins <= included { return (included + 1, prices.tiers[0].unit_price_micros) }
        let billable = logins - included
        guard let present = prices.tiers.firstIndex(where: { $0.up_to.map { billable <= $0 } ?? true }),
            let end = prices.tiers[present].up_to
        else { return nil }
        return (included + end + 1, prices.tiers[present + 1].unit_price_micros)
    }
}
