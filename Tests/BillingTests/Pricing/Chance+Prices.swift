@testable import Billing
import Foundation
import TestSupport

extension Chance {
    /// Random prices with so few logins per tier that a test can count them one by one.
    mutating func prices(_ mode: Prices.TierMode? = nil) -> Prices {
        var end = 0
        let ends: [Int?] = (0..<number(0...4)).map { _ in
            end += number(1...60)
            return end
        }
        return try! Prices(
            currency: Currency(["USD", "JPY", "KWD", "CLF"].randomElement(using: &self)!)!,
            baseFeeMicros: often(0, or: 0...3_000_000_000), includedLogins: often(0, or: 0...80),
            minimumMicros: often(0, or: 0...3_000_000_000), tierMode: mode ?? Prices.TierMode.allCases.randomElement(using: &self)!,
            tiers: (ends + [nil]).map { Prices.Tier(upTo: $0, unitPriceMicros: often(5000, or: 0...2_000_000)) })
    }

    mutating func share() -> Rating.Share {
        let month = number(28...31)
        return Rating.Share(days: number(1...month), of: month)
    }
}

extension Prices {
    /// Simple prices, of which a test sets only the relevant parts.
    static func of(
        _ mode: TierMode, in currency: String = "USD", baseFee: Int = 0, included: Int = 0, minimum: Int = 0,
        _ tiers: (upTo: Int?, price: Int)...
    ) -> Prices {
        try! Prices(
            currency: Currency(currency)!, baseFeeMicros: baseFee, includedLogins: included, minimumMicros: minimum, tierMode: mode,
            tiers: tiers.map { Tier(upTo: $0.upTo, unitPriceMicros: $0.price) })
    }
}

/// The charges for numbers within the limit.
func rated(
    for logins: Int, by prices: Prices, over share: Rating.Share = .wholeMonth, withFees: Bool = true
) -> [Rating.Charge] {
    try! Rating.charges(for: logins, by: prices, over: share, withFees: withFees)
}
