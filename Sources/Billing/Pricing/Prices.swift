import Postgres

/// What a month costs, in millionths of a currency's unit.
package struct Prices: Hashable, Sendable {
    package enum TierMode: String, Codable, CaseIterable, SQLValue, Sendable {
        /// Each login at the price of the tier it falls into.
        case graduated
        /// All logins at the price of the tier that the last one falls into.
        case volume
    }

    package struct Tier: Hashable, Codable, Sendable {
        /// The last login that is in it, counted from 1 behind those that are included. Nil in the last tier.
        package let up_to: Int?
        package let unit_price_micros: Int

        package init(upTo: Int?, unitPriceMicros: Int) {
            (up_to, unit_price_micros) = (upTo, unitPriceMicros)
        }
    }

    package let currency: Currency
    package let baseFeeMicros: Int
    /// How many logins of a month cost nothing.
    package let includedLogins: Int
    /// What a month costs at the least.
    package let minimumMicros: Int
    package let tierMode: TierMode
    /// Ascending; only the last has no end.
    package let tiers: [Tier]

    /// What amounts to more than this is taken for a mistake: it keeps every sum far below what an `Int` holds.
    package static let largestFeeMicros = 1_000_000_000_000_000
    package static let largestUnitPriceMicros = 1_000_000_000
    package static let mostLogins = 1_000_000_000

    /// - Throws: `Refusal` unless there is a tier for every login, and one only.
    package init(
        currency: Currency, baseFeeMicros: Int, includedLogins: Int, minimumMicros: Int, tierMode: TierMode, tiers: [Tier]
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
    }

    package enum Refusal: Error, Equatable {
        case noTier, lastTierEnds
        case tierWithoutEnd(Int)
        case tierNotBehindTheOneBefore(Int)
    }
}
