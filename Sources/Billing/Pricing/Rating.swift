/// The pure pricing function: what a number of logins costs by a rate card.
package enum Rating {
    /// One line of the reckoning.
    package struct Charge: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case baseFee
            /// Logins that cost nothing.
            case included
            /// Logins from one to another, counted from 1 behind those that are included.
            case logins(from: Int, to: Int)
            /// What was missing to the least that a month costs.
            case minimum
        }

        package let kind: Kind
        /// Logins; of a base fee or a minimum, days.
        package let quantity: Int
        /// Of one login, or of the fee for a whole month.
        package let unitPriceMicros: Int
        /// To the millionth, before the rounding.
        package let exactMicros: Int
        /// The amount to pay: rounded once, half to even, to the currency's smallest coin. A minimum is the difference of rounded amounts.
        package let amountMicros: Int
    }

    /// The days of a month for which a rate card holds. What a rate card says of a month (base fee, minimum, included logins, where tiers
    /// end) is for as many days as many times smaller, and counts of logins are rounded up: who logs in evenly pays on changing between two
    /// cards that say the same what he paid without.
    package struct Share: Hashable, Sendable {
        package let days: Int
        package let daysOfMonth: Int

        package static let wholeMonth = Share(days: 1, of: 1)

        package init(days: Int, of daysOfMonth: Int) {
            precondition(0 < days && days <= daysOfMonth)
            (self.days, self.daysOfMonth) = (days, daysOfMonth)
        }

        func logins(_ ofMonth: Int) -> Int {
            Int((Int128(ofMonth) * Int128(days) + Int128(daysOfMonth) - 1) / Int128(daysOfMonth))
        }
    }

    /// A number of logins beyond `Prices.mostLogins`: somebody's mistake, which must not become an amount, and with which sums might
    /// no longer be what an `Int` holds.
    package struct TooMany: Error, Equatable, CustomStringConvertible {
        package let logins: Int

        package var description: String { "\(logins) logins cannot be rated: \(Prices.mostLogins) at the most can" }
    }

    /// The charges for so many logins, in the order of a statement. There is always one of kind `logins` or `included`.
    ///
    /// - Parameters:
    ///   - logins: 0 or more.
    ///   - withFees: whether base fee and minimum are charged, and not only the logins.
    /// - Throws: `TooMany` for more than `Prices.mostLogins`.
    package static func charges(
        for logins: Int, by prices: Prices, over share: Share = .wholeMonth, withFees: Bool = true
    ) throws(TooMany) -> [Charge] {
        precondition(logins >= 0)
        guard logins <= Prices.mostLogins else { throw TooMany(logins: logins) }
        var charges: [Charge] = []
        if withFees, prices.baseFeeMicros > 0 { charges.append(fee(.baseFee, prices.baseFeeMicros, prices, share)) }

        let included = min(logins, share.logins(prices.includedLogins))
        if included > 0 {
            charges.append(Charge(kind: .included, quantity: included, unitPriceMicros: 0, exactMicros: 0, amountMicros: 0))
        }
        let billable = logins - included
        if billable > 0 || included == 0 { charges += tiers(billable, prices, share) }

        if withFees, prices.minimumMicros > 0 {
            let least = fee(.minimum, prices.minimumMicros, prices, share)
            let (exact, amount) = charges.reduce((0, 0)) { ($0.0 + $1.exactMicros, $0.1 + $1.amountMicros) }
            if amount < least.amountMicros {
                charges.append(
                    Charge(
                        kind: .minimum, quantity: share.days, unitPriceMicros: prices.minimumMicros,
                        exactMicros: max(0, least.exactMicros - exact), amountMicros: least.amountMicros - amount))
            }
        }
        return charges
    }

    private static func tiers(_ billable: Int, _ prices: Prices, _ share: Share) -> [Charge] {
        // Where tiers end, in the share; the last never does.
        let ends = prices.tiers.map { $0.up_to.map(share.logins) ?? .max }
        func charge(_ from: Int, _ to: Int, _ price: Int) -> Charge {
            let quantity = max(0, to - from + 1)
            let exact = quantity * price
            return Charge(
                kind: .logins(from: from, to: to), quantity: quantity, unitPriceMicros: price, exactMicros: exact,
                amountMicros: round(Int128(exact), by: Int128(prices.currency.smallestMicros)))
        }
        let last = ends.firstIndex { billable <= $0 }!
        switch prices.tierMode {
        case .volume:
            return [charge(1, billable, prices.tiers[last].unit_price_micros)]
        case .graduated:
            // In a short share two tiers may end at the same login: the second of them is empty.
            return (0...last).filter { $0 == 0 || ends[$0 - 1] < ends[$0] }.map { index in
                charge(
                    index == 0 ? 1 : ends[index - 1] + 1, min(billable, ends[index]), prices.tiers[index].unit_price_micros)
            }
        }
    }

    private static func fee(_ kind: Charge.Kind, _ micros: Int, _ prices: Prices, _ share: Share) -> Charge {
        let (dividend, divisor) = (Int128(micros) * Int128(share.days), Int128(share.daysOfMonth))
        return Charge(
            kind: kind, quantity: share.days, unitPriceMicros: micros, exactMicros: round(dividend, by: divisor, times: 1),
            amountMicros: round(dividend, by: divisor * Int128(prices.currency.smallestMicros), times: prices.currency.smallestMicros))
    }

    private static func round(_ dividend: Int128, by step: Int128) -> Int {
        round(dividend, by: step, times: Int(step))
    }

    /// The quotient to the nearest whole number, of two equally near the even one, times a factor: what millionths come to in coins.
    private static func round(_ dividend: Int128, by divisor: Int128, times factor: Int) -> Int {
        var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        if remainder * 2 > divisor || (remainder * 2 == divisor && quotient % 2 == 1) { quotient += 1 }
        return Int(quotient) * factor
    }
}
