/// The pure pricing function: the cost of numbers of logins and silent sign-ins by a rate card.
package enum Rating {
    /// One line of the result.
    package struct Charge: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case baseFee
            /// Free logins.
            case included
            /// A range of logins, counted from 1 after the included ones.
            case logins(from: Int, to: Int)
            /// Sign-ins without Apple. They are free if the rate card has no price for them.
            case silentLogins
            /// The difference to the minimum charge of a month.
            case minimum
        }

        package let kind: Kind
        /// The number of logins or silent sign-ins. For a base fee or a minimum, the number of days.
        package let quantity: Int
        /// The price of one login or silent sign-in, or of the fee for a whole month.
        package let unitPriceMicros: Int
        /// To the millionth, before rounding.
        package let exactMicros: Int
        /// The amount to pay: rounded once, half to even, to the currency's smallest coin. A minimum is the difference of rounded amounts.
        package let amountMicros: Int
    }

    /// The days of a month on which a rate card is in effect.
    ///
    /// The monthly values of a rate card (base fee, minimum, included logins, ends of tiers) are multiplied by the share of days. Numbers
    /// of logins are rounded up. So with a change between two equal cards, a tenant with evenly distributed logins pays the same as without
    /// the change.
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

    /// The number of logins exceeds `Prices.mostLogins`. Such a number is an error and must not become an amount. Sums with it could
    /// overflow an `Int`.
    package struct TooMany: Error, Equatable, CustomStringConvertible {
        package let logins: Int

        package var description: String { "\(logins) logins cannot be rated: the limit is \(Prices.mostLogins)" }
    }

    /// The charges for a number of logins, in the order of a statement. At least one has the kind `logins` or `included`.
    ///
    /// - Parameters:
    /// - logins: 0 or more.
    /// - silent: the number of silent sign-ins, 0 or more. They use neither included logins nor tiers, and count toward a minimum.
    /// - withFees: whether to charge base fee and minimum in addition to the logins.
    /// - Throws: `TooMany` for more than `Prices.mostLogins`.
    package static func charges(
        for logins: Int, silent: Int = 0, by prices: Prices, over share: Share = .wholeMonth, withFees: Bool = true
    ) throws(TooMany) -> [Charge] {
        precondition(logins >= 0 && silent >= 0)
        guard logins <= Prices.mostLogins else { throw TooMany(logins: logins) }
        guard silent <= Prices.mostLogins else { throw TooMany(logins: silent) }
        var charges: [Charge] = []
        if withFees, prices.baseFeeMicros > 0 { charges.append(fee(.baseFee, prices.baseFeeMicros, prices, share)) }

        let included = min(logins, share.logins(prices.includedLogins))
        if included > 0 {
            charges.append(Charge(kind: .included, quantity: included, unitPriceMicros: 0, exactMicros: 0, amountMicros: 0))
        }
        let billable = logins - included
        if billable > 0 || included == 0 { charges += tiers(billable, prices, share) }
        if silent > 0 { charges.append(charge(.silentLogins, silent, prices.silentLoginMicros, prices)) }

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
        // The ends of the tiers in this share of the month. The last tier has no end.
        let ends: [Int] = prices.tiers.map { $0.up_to.map(share.logins) ?? .max }
        func charge(_ from: Int, _ to: Int, _ price: Int) -> Charge {
            self.charge(.logins(from: from, to: to), max(0, to - from + 1), price, prices)
        }
        let last = ends.firstIndex { billable <= $0 }!
        switch prices.tierMode {
        case .volume:
            return [charge(1, billable, prices.tiers[last].unit_price_micros)]
        case .graduated:
            // In a short share, two tiers can end at the same login. The second of them is then empty.
            return (0...last).compactMap { index -> Charge? in
                let before = index == 0 ? 0 : ends[index - 1]
                guard index == 0 || before < ends[index] else { return nil }
                return charge(before + 1, min(billable, ends[index]), prices.tiers[index].unit_price_micros)
            }
        }
    }

    private static func charge(_ kind: Charge.Kind, _ quantity: Int, _ price: Int, _ prices: Prices) -> Charge {
        let exact = quantity * price
        return Charge(
            kind: kind, quantity: quantity, unitPriceMicros: price, exactMicros: exact,
            amountMicros: round(Int128(exact), by: Int128(prices.currency.smallestMicros)))
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

    /// The quotient rounded half to even, multiplied by a factor. It converts millionths to coins.
    private static func round(_ dividend: Int128, by divisor: Int128, times factor: Int) -> Int {
        var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        if remainder * 2 > divisor || (remainder * 2 == divisor && quotient % 2 == 1) { quotient += 1 }
        return Int(quotient) * factor
    }
}
