import Foundation
import Ledger
import Web

extension Prices {
    /// The limit of tiers per rate card.
    static let mostTiers = 50

    /// Reads the prices from a body. Nil if a part of them was refused.
    static func read(_ fields: inout JSONFields) -> Prices? {
        let currency = fields.text("currency", 3...3, isRequired: true) {
            Currency($0) == nil ? "It must be a currency code of ISO 4217, for example USD." : nil
        }
        let baseFee = fields.integer("base_fee_micros", 0...largestFeeMicros) ?? 0
        let included = fields.integer("included_logins", 0...mostLogins) ?? 0
        let minimum = fields.integer("minimum_micros", 0...largestFeeMicros) ?? 0
        let mode = fields.choice("tier_mode", TierMode.self) ?? .graduated
        let tiers = fields.objects("tiers", count: 1...mostTiers, isRequired: true) { tier -> Tier? in
            let upTo = tier.integer("up_to", 1...mostLogins)
            return tier.integer("unit_price_micros", 0...largestUnitPriceMicros, isRequired: true).map {
                Tier(upTo: upTo, unitPriceMicros: $0)
            }
        }
        let silent = fields.integer("silent_login_micros", 0...largestUnitPriceMicros) ?? 0
        guard let currency = currency.flatMap(Currency.init), let tiers, !tiers.contains(nil) else { return nil }
        do {
            return try Prices(
                currency: currency, baseFeeMicros: baseFee, includedLogins: included, minimumMicros: minimum, tierMode: mode,
                tiers: tiers.compactMap(\.self), silentLoginMicros: silent)
        } catch {
            switch error {
            case .noTier: fields.refuse("tiers", "It must have at least one tier.")
            case .lastTierEnds: fields.refuse("tiers[\(tiers.count - 1)].up_to", "The last tier has no end. Leave it out.")
            case .tierWithoutEnd(let index): fields.refuse("tiers[\(index)].up_to", "It is required in every tier except the last.")
            case .tierNotBehindTheOneBefore(let index):
                fields.refuse("tiers[\(index)].up_to", "It must be greater than in the previous tier.")
            }
            return nil
        }
    }
}

extension JSONFields {
    /// Reads a UTC day.
    mutating func day(_ name: String, isRequired: Bool = false) -> Day? {
        text(name, isRequired: isRequired) { Day($0) == nil ? "It must be a day in the year 2000 or later, for example 2026-11-01." : nil }
            .flatMap(Day.init)
    }
}
