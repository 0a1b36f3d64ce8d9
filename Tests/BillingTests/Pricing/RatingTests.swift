@testable import Billing
import Foundation
import TestSupport
import Testing

/// Properties of the rating for random prices.
@Suite("Rating")
struct RatingTests {
    private typealias Charge = Rating.Charge

    private func total(_ charges: [Charge]) -> Int { charges.reduce(0) { $0 + $1.amountMicros } }
    private func exact(_ charges: [Charge]) -> Int { charges.reduce(0) { $0 + $1.exactMicros } }

    private func ofLogins(_ charges: [Charge]) -> [(from: Int, to: Int, charge: Charge)] {
        charges.compactMap { if case .logins(let from, let to) = $0.kind { (from, to, $0) } else { nil } }
    }

    /// The price of one login, counted from 1 after the included ones, for a number of logins. It is implemented differently than `Rating`.
    private func price(_ login: Int, of billable: Int, _ prices: Prices, _ share: Rating.Share) -> Int {
        let place = prices.tierMode == .graduated ? login : billable
        return prices.tiers.first { tier in
            // ⌈up_to · days / days of the month⌉ ≥ place
            tier.up_to.map { $0 * share.days > (place - 1) * share.daysOfMonth } ?? true
        }!.unit_price_micros
    }

    private func included(_ prices: Prices, _ share: Rating.Share) -> Int {
        (prices.includedLogins * share.days + share.daysOfMonth - 1) / share.daysOfMonth
    }

    @Test("logins counted one by one cost the same, and each is in one line", arguments: 0..<300)
    func oneByOne(seed: Int) {
        var chance = Chance(seed)
        let (prices, logins) = (chance.prices(), chance.number(0...400))
        for share in [.wholeMonth, chance.share()] {
            let charges = rated(for: logins, by: prices, over: share)
            let free = min(logins, included(prices, share))
            let billable = logins - free
            let lines = ofLogins(charges)
            #expect(charges.filter { $0.kind == .included }.map(\.quantity) == (free > 0 ? [free] : []))
            #expect(lines.reduce(0) { $0 + $1.charge.quantity } == billable)
            let costs = billable == 0 ? [] : (1...billable).map { price($0, of: billable, prices, share) }
            #expect(exact(lines.map(\.charge)) == costs.reduce(0, +))
            // The lines are consecutive without a gap, and each has one price.
            var end = 0
            for line in lines where line.charge.quantity > 0 {
                #expect(line.from == end + 1)
                #expect(line.charge.quantity == line.to - line.from + 1)
                #expect(Set(costs.dropFirst(line.from - 1).prefix(line.charge.quantity)) == [line.charge.unitPriceMicros])
                end = line.to
            }
            #expect(end == billable)
            #expect(!charges.isEmpty)
            #expect(lines.allSatisfy { $0.charge.quantity > 0 } || lines.count == 1 && free == 0)
        }
    }

    @Test("one more login never costs less: always with graduated prices, by volume if no cheaper tier starts", arguments: 0..<200)
    func monotone(seed: Int) {
        var chance = Chance(seed)
        let (prices, share) = (chance.prices(), chance.share())
        var before = total(rated(for: 0, by: prices, over: share))
        for logins in 1...300 {
            let now = total(rated(for: logins, by: prices, over: share))
            let (last, billable) = (logins - 1 - included(prices, share), logins - included(prices, share))
            let mayFall =
                prices.tierMode == .volume && last > 0
                && price(billable, of: billable, prices, share) < price(last, of: last, prices, share)
            if !mayFall { #expect(now >= before, "\(logins) logins") }
            before = now
        }
    }

    @Test("the cost of added logins equals the difference of the totals", arguments: 0..<200)
    func parts(seed: Int) {
        var chance = Chance(seed)
        let prices = chance.prices(.graduated)
        let (a, b) = (chance.number(0...200), chance.number(0...200))
        func exactly(_ logins: Int) -> Int { exact(rated(for: logins, by: prices, withFees: false)) }
        let added = ((a + 1)..<(a + b + 1)).map { $0 - prices.includedLogins }.filter { $0 > 0 }
        #expect(exactly(a + b) - exactly(a) == added.reduce(0) { $0 + price($1, of: $1, prices, .wholeMonth) })
    }

    @Test("a line is rounded once, to coins, half to even", arguments: 0..<200)
    func rounding(seed: Int) {
        var chance = Chance(seed)
        let prices = chance.prices()
        let coin = prices.currency.smallestMicros
        for charge in rated(for: chance.number(0...300), by: prices, over: chance.share()) where charge.kind != .minimum {
            #expect(charge.amountMicros % coin == 0)
            // The `exactMicros` of a fee is rounded to the millionth too.
            #expect(abs(charge.amountMicros - charge.exactMicros) * 2 <= coin + 1)
            if abs(charge.amountMicros - charge.exactMicros) * 2 == coin, case .logins = charge.kind {
                #expect(charge.amountMicros / coin % 2 == 0)
            }
        }
    }

    @Test(
        "halves are rounded to the even coin, in currencies with 0, 2, 3 and 4 decimals",
        arguments: [("JPY", 1_000_000), ("USD", 10_000), ("KWD", 1_000), ("CLF", 100)])
    func halves(currency: String, coin: Int) {
        let prices = Prices.of(.graduated, in: currency, (nil, coin / 2))
        let amounts = (0...7).map { total(rated(for: $0, by: prices)) / coin }
        #expect(amounts == [0, 0, 1, 2, 2, 2, 3, 4])
        // Next to the half, rounding is not to the even coin.
        #expect(total(rated(for: 1, by: .of(.graduated, in: currency, (nil, coin / 2 + 1)))) == coin)
        #expect(total(rated(for: 3, by: .of(.graduated, in: currency, (nil, coin / 2 - 1)))) == coin)
    }

    @Test("a month costs at least its minimum, and the minimum adds nothing more", arguments: 0..<200)
    func minimum(seed: Int) {
        var chance = Chance(seed)
        let (prices, share, logins) = (chance.prices(), chance.share(), chance.number(0...300))
        let charges = rated(for: logins, by: prices, over: share)
        let bare = try! Prices(
            currency: prices.currency, baseFeeMicros: prices.baseFeeMicros, includedLogins: prices.includedLogins, minimumMicros: 0,
            tierMode: prices.tierMode, tiers: prices.tiers)
        let least = Double(prices.minimumMicros) * Double(share.days) / Double(share.daysOfMonth)
        let rest = total(rated(for: logins, by: bare, over: share))
        #expect(Double(total(charges)) >= least - Double(prices.currency.smallestMicros) / 2)
        if let line = charges.first(where: { $0.kind == .minimum }) {
            #expect(charges.last == line && line.amountMicros > 0)
            #expect(Double(total(charges)) <= least + Double(prices.currency.smallestMicros) / 2)
            #expect(total(charges) == rest + line.amountMicros)
        } else {
            #expect(total(charges) == rest)
        }
    }

    @Test("the shares of a month add up to the whole month, except for the rounding of each", arguments: 0..<200)
    func shares(seed: Int) {
        var chance = Chance(seed)
        let prices = chance.prices()
        let month = chance.number(28...31)
        // Random days at which the card changes to an equal one.
        let cuts = ([0, month] + (0..<chance.number(0...4)).map { _ in chance.number(1...(month - 1)) }).sorted()
        let shares = zip(cuts, cuts.dropFirst()).filter(<).map { Rating.Share(days: $1 - $0, of: month) }
        func fees(_ share: Rating.Share) -> [Charge] {
            rated(for: 0, by: prices, over: share).filter { $0.kind == .baseFee }
        }
        let coin = prices.currency.smallestMicros
        let whole = fees(.wholeMonth)
        #expect(abs(shares.reduce(0) { $0 + exact(fees($1)) } - exact(whole)) <= shares.count)
        #expect(abs(shares.reduce(0) { $0 + total(fees($1)) } - total(whole)) * 2 <= (shares.count + 1) * coin)

        // With evenly distributed logins, the tenant pays the same as without the change, except for a few logins whose number was rounded
        // up.
        let perDay = chance.number(0...20)
        let parts = shares.reduce(0) { $0 + exact(rated(for: perDay * $1.days, by: prices, over: $1, withFees: false)) }
        let together = exact(rated(for: perDay * month, by: prices, withFees: false))
        if prices.tierMode == .graduated {
            let dearest = prices.tiers.map(\.unit_price_micros).max()!
            #expect(abs(parts - together) <= shares.count * (prices.tiers.count + 1) * dearest)
        }
    }

    @Test("tiers end at their limit: the last login inside, the first one outside")
    func edges() {
        let tiers: [(upTo: Int?, price: Int)] = [(100, 5000), (1000, 4000), (nil, 3000)]
        let graduated = Prices.of(.graduated, included: 10, tiers[0], tiers[1], tiers[2])
        let volume = Prices.of(.volume, included: 10, tiers[0], tiers[1], tiers[2])
        for (logins, byTier, atOnce) in [
            (10, 0, 0), (11, 5000, 5000), (110, 500_000, 500_000), (111, 504_000, 404_000), (1010, 4_100_000, 4_000_000),
            (1011, 4_103_000, 3_003_000),
        ] {
            #expect(exact(rated(for: logins, by: graduated)) == byTier)
            #expect(exact(rated(for: logins, by: volume)) == atOnce)
        }
    }

    @Test("a month without a login has its fees, and a line with 0 logins")
    func nothing() {
        let charges = rated(for: 0, by: .of(.graduated, baseFee: 49_000_000, minimum: 60_000_000, (nil, 5000)))
        #expect(charges.map(\.kind) == [.baseFee, .logins(from: 1, to: 0), .minimum])
        #expect(charges.map(\.amountMicros) == [49_000_000, 0, 11_000_000])
        let free = rated(for: 0, by: .of(.graduated, (nil, 5000)))
        #expect(free.map(\.kind) == [.logins(from: 1, to: 0)])
        #expect(total(free) == 0)
    }

    @Test("by default a login costs half a cent, exactly")
    func byDefault() {
        let prices = Prices.of(.graduated, (nil, 5000))
        for (logins, micros) in [(1, 0), (2, 10_000), (3, 20_000), (1000, 5_000_000), (250_000, 1_250_000_000)] {
            #expect(total(rated(for: logins, by: prices)) == micros)
        }
    }

    @Test("the largest accepted numbers do not overflow")
    func largest() {
        for mode in Prices.TierMode.allCases {
            let prices = Prices.of(
                mode, baseFee: Prices.largestFeeMicros, minimum: Prices.largestFeeMicros, (1, Prices.largestUnitPriceMicros),
                (nil, Prices.largestUnitPriceMicros))
            let charges = rated(for: Prices.mostLogins, by: prices)
            #expect(total(charges) == Prices.largestFeeMicros + Prices.mostLogins * Prices.largestUnitPriceMicros)
        }
    }

    @Test("more logins are refused without another effect")
    func tooMany() {
        #expect(throws: Rating.TooMany(logins: Prices.mostLogins + 1)) {
            try Rating.charges(for: Prices.mostLogins + 1, by: .of(.graduated, (nil, 5000)))
        }
        #expect(throws: Rating.TooMany(logins: .max)) { try Estimate(logins: .max, by: .of(.graduated, (nil, 5000))) }
    }

    @Test("two tiers that end at the same login of a short share are one")
    func emptyTier() {
        let prices = Prices.of(.graduated, (1, 9), (2, 8), (nil, 7))
        let charges = rated(for: 3, by: prices, over: .init(days: 1, of: 30))
        #expect(charges.map(\.kind) == [.logins(from: 1, to: 1), .logins(from: 2, to: 3)])
        #expect(charges.map(\.unitPriceMicros) == [9, 7])
    }
}

@Suite("Prices")
struct PricesTests {
    private func refusal(_ ends: Int?...) -> Prices.Refusal? {
        do {
            _ = try Prices(
                currency: Currency("USD")!, baseFeeMicros: 0, includedLogins: 0, minimumMicros: 0, tierMode: .graduated,
                tiers: ends.map { Prices.Tier(upTo: $0, unitPriceMicros: 1) })
            return nil
        } catch {
            return error
        }
    }

    @Test("each login has exactly one tier")
    func contiguous() {
        #expect(refusal() == .noTier)
        #expect(refusal(nil) == nil)
        #expect(refusal(1, 2, nil) == nil)
        #expect(refusal(1) == .lastTierEnds)
        #expect(refusal(1, 2) == .lastTierEnds)
        #expect(refusal(1, nil, nil) == .tierWithoutEnd(1))
        #expect(refusal(5, 5, nil) == .tierNotBehindTheOneBefore(1))
        #expect(refusal(5, 4, nil) == .tierNotBehindTheOneBefore(1))
        #expect(refusal(0, nil) == .tierNotBehindTheOneBefore(0))
    }
}

@Suite("Estimate")
struct EstimateTests {
    @Test("the next tier starts where one more login has another price, with the cost of the month there", arguments: 0..<200)
    func nextTier(seed: Int) throws {
        var chance = Chance(seed)
        let (prices, logins) = (chance.prices(), chance.number(0...400))
        let estimate = try Estimate(logins: logins, by: prices)
        #expect(estimate.totalMicros == rated(for: logins, by: prices).reduce(0) { $0 + $1.amountMicros })
        // The included logins are a tier before the first. The tiers start after these logins.
        let begins =
            (prices.includedLogins > 0 ? [prices.includedLogins] : []) + prices.tiers.compactMap(\.up_to).map { $0 + prices.includedLogins }
        let next = begins.first { $0 >= logins }
        #expect(estimate.nextTier?.fromLogin == next.map { $0 + 1 })
        guard let tier = estimate.nextTier else { return }
        #expect(try tier.totalMicros == Estimate(logins: tier.fromLogin, by: prices).totalMicros)
        let line = rated(for: tier.fromLogin, by: prices).last { if case .logins = $0.kind { true } else { false } }
        #expect(line?.unitPriceMicros == tier.unitPriceMicros)
    }

    @Test("with volume prices the next tier can cost less")
    func cheaper() throws {
        let estimate = try Estimate(logins: 99_000, by: .of(.volume, (100_000, 5000), (nil, 4000)))
        #expect(estimate.totalMicros == 495_000_000)
        #expect(estimate.nextTier == .init(fromLogin: 100_001, unitPriceMicros: 4000, totalMicros: 400_000_000))
        #expect(try Estimate(logins: 100_001, by: .of(.volume, (100_000, 5000), (nil, 4000))).nextTier == nil)
    }

    @Test("a tier beyond the largest number does not exist")
    func beyond() throws {
        let prices = Prices.of(.graduated, included: 1, (Prices.mostLogins, 5000), (nil, 4000))
        #expect(try Estimate(logins: Prices.mostLogins, by: prices).nextTier == nil)
        #expect(try Estimate(logins: 1, by: prices).nextTier?.fromLogin == 2)
    }
}
