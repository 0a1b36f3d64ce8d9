/// What a month with so many logins costs, and where the price of a login changes next.
package struct Estimate: Sendable {
    /// Where more logins have another price.
    package struct NextTier: Hashable, Sendable {
        /// The first login of the month that is in it, counted from 1 and with those that are included.
        package let fromLogin: Int
        package let unitPriceMicros: Int
        /// What a month with just so many logins costs: by volume, it can be less.
        package let totalMicros: Int
    }

    package let charges: [Rating.Charge]
    package let totalMicros: Int
    /// Nil in the last tier, and where the next is beyond all numbers.
    package let nextTier: NextTier?

    /// - Throws: `Rating.TooMany` for more logins than `Prices.mostLogins`.
    package init(logins: Int, by prices: Prices) throws {
        charges = try Rating.charges(for: logins, by: prices)
        totalMicros = charges.reduce(0) { $0 + $1.amountMicros }
        nextTier = try Self.tier(behind: logins, prices).flatMap { from, unitPrice in
            guard from <= Prices.mostLogins else { return nil }
            let total = try Rating.charges(for: from, by: prices).reduce(0) { $0 + $1.amountMicros }
            return NextTier(fromLogin: from, unitPriceMicros: unitPrice, totalMicros: total)
        }
    }

    /// The tier behind that of the last of so many logins: its first login, and its price. What is included is a tier before the first.
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
