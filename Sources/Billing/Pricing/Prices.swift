import Postgres

/// The prices of a month, in millionths of a currency's unit.
package struct Prices: Hashable, Sendable {
    package enum TierMode: String, Codable, CaseIterable, SQLValue, Sendable {
        /// Each login has the price of its own tier.
        case graduated
        /// All logins have the price of the last login's tier.
        case volume
    }

    package struct Tier: Hashable, Codable, Sendable {
        /// The last login of the tier, counted from 1 after the included ones. Nil in the last tier.
        package let up_to: Int?
        package let unit_price_micros: Int

        package init(upTo: Int?, unitPriceMicros: Int) {
            (up_to, unit_price_micros) = (upTo, unitPriceMicros)
        }
    }

    package let currency: Currency
    package let baseFeeMicros: Int
    /// The number of free logins per month.
    package let includedLogins: Int
    /// The minimum charge of a month.
    package let minimumMicros: Int
    package let tierMode: TierMode
    /// Ascending. Only the last tier has no end.
    package let tiers: [Tier]
    /// The price of a silent sign-in. 0 if it is free.
    package let silentLoginMicros: Int

    /// The largest plausible amount. A larger one is an error. With this limit, no sum can overflow an `Int`.
    package static let largestFeeMicros = 1_000_000_000_000_000
    package static let largestUnitPriceMicros = 1_000_000_000
    package static let mostLogins = 1_000_000_000

    /// - Throws: `Refusal` unless each login is in exactly one tier.
    package init(
        currency: Currency, baseFeeMicros: Int, includedLogins: Int, minimumMicros: Int, tierMode: TierMode, tiers: [Tier],
        silentLoginMicros: Int = 0
    ) throws(Refusal) {
        guard let last = tiers.last else { throw .noTier }
        guard last.up_to == nil else { throw .lastTierEnds }
        var end = 0
        for (index, tier) in tiers.dropLast().enumerated() {
            guard let upTo = tier.up_to else { throw .tierWithoutEnd(index) }
            guard upTo > end else { throw .tierNotBehindTheOneBefore(index) }
            end = upTo
        }
        (self.currency, self.baseFeeMicros, self.includedLogins) = (currency, baseFeeMicros, includedLogins)
        (self.minimumMicros, self.tierMode, self.tiers) = (minimumMicros, tierMode, tiers)
        self.silentLoginMicros = silentLoginMicros
    }

    package enum Refusal: Error, Equatable {
        case noTier, lastTierEnds
        case tierWithoutEnd(Int)
        case tierNotBehindTheOneBefore(Int)
    }
}
