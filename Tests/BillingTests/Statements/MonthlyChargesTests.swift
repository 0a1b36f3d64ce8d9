import Access
@testable import Billing
import Foundation
@testable import Ledger
import Tenancy
import TestSupport
import Testing

/// The charges of a month, calculated only from numbers and prices.
@Suite("Monthly charges")
struct MonthlyChargesTests {
    private static let november = Month("2026-11")!

    private static func card(_ version: Int = 1, _ prices: Prices) -> RateCard {
        RateCard(
            id: ID(at: Date()), owner: .platform, plan: .scale, version: version, effectiveFrom: Day("2026-01-01")!, prices: prices,
            createdAt: Date())
    }

    private static func prices(
        baseFee: Int = 0, included: Int = 0, minimum: Int = 0, mode: Prices.TierMode = .graduated, tiers: [(Int?, Int)] = [(nil, 5000)],
        currency: String = "USD", silent: Int = 0
    ) throws -> Prices {
        try Prices(
            currency: Currency(currency)!, baseFeeMicros: baseFee, includedLogins: included, minimumMicros: minimum, tierMode: mode,
            tiers: tiers.map { Prices.Tier(upTo: $0.0, unitPriceMicros: $0.1) }, silentLoginMicros: silent)
    }

    private static func term(_ card: RateCard, _ first: Int = 1, _ last: Int = 30) -> Term {
        Term(rateCard: card, plan: .scale, firstDay: november.firstDay + (first - 1), lastDay: november.firstDay + (last - 1))
    }

    private static func days(_ counts: [Int: Int]) -> [Day: Int] {
        Dictionary(uniqueKeysWithValues: counts.map { (november.firstDay + ($0.key - 1), $0.value) })
    }

    @Test("each term has its lines, by the logins of its days")
    func terms() throws {
        let (old, new) = (Self.card(1, try Self.prices(baseFee: 30_000_000)), Self.card(2, try Self.prices(tiers: [(nil, 10_000)])))
        let lines = try MonthlyCharges.lines(
            of: Self.november, terms: [Self.term(old, 1, 10), Self.term(new, 11, 30)], spare: nil,
            events: Self.days([1: 100, 10: 100, 11: 300]))
        #expect(lines.map(\.kind) == [.baseFee, .logins, .logins])
        #expect(lines.map(\.quantity) == [10, 200, 300])
        #expect(lines.map(\.amountMicros) == [10_000_000, 1_000_000, 3_000_000])
        #expect(lines.map(\.rateCardVersion) == [1, 1, 2])
        #expect(lines[1].description == "Logins, 2026-11-01 to 2026-11-10")
        #expect(lines[2].firstDay == Day("2026-11-11"))
    }

    @Test("a month without usage has a line, and one without a plan has none")
    func empty() throws {
        let card = Self.card(1, try Self.prices())
        let lines = try MonthlyCharges.lines(of: Self.november, terms: [Self.term(card)], spare: nil, events: [:])
        #expect(lines.map(\.quantity) == [0])
        #expect(lines.map(\.amountMicros) == [0])
        #expect(try MonthlyCharges.lines(of: Self.november, terms: [], spare: Self.term(card), events: [:]) == [])
    }

    @Test("a login on a day without a plan is billed by the nearest prices, and without any plan only by those")
    func outside() throws {
        let card = Self.card(1, try Self.prices(baseFee: 30_000_000))
        let events = Self.days([2: 1000, 29: 1000])
        let within = try MonthlyCharges.lines(of: Self.november, terms: [Self.term(card, 10, 20)], spare: nil, events: events)
        #expect(within.map(\.kind) == [.baseFee, .logins])
        #expect(within.last?.quantity == 2000)
        let without = try MonthlyCharges.lines(of: Self.november, terms: [], spare: Self.term(card), events: events)
        #expect(without.map(\.kind) == [.logins])
        #expect(without.last?.amountMicros == 10_000_000)
    }

    @Test("each tier has a line with its range of logins")
    func tiers() throws {
        let card = Self.card(1, try Self.prices(tiers: [(1000, 5000), (nil, 4000)]))
        let lines = try MonthlyCharges.lines(of: Self.november, terms: [Self.term(card)], spare: nil, events: Self.days([3: 2500]))
        #expect(lines.map(\.description) == ["Logins 1 to 1,000", "Logins 1,001 to 2,500"])
        #expect(lines.map(\.amountMicros) == [5_000_000, 6_000_000])
    }

    @Test("late logins continue in the tier where their month ended, and count towards a minimum already paid")
    func corrections() throws {
        let tiered = Self.card(1, try Self.prices(tiers: [(1000, 5000), (nil, 4000)]))
        let line = try #require(
            try MonthlyCharges.corrections(
                of: Self.november, terms: [Self.term(tiered)], spare: nil, billed: Self.days([1: 999]), late: Self.days([1: 2])
            ).first)
        #expect((line.kind, line.quantity, line.exactMicros, line.unitPriceMicros) == (.correction, 2, 9000, nil))
        #expect(line.servicePeriod == Self.november)
        let least = Self.card(1, try Self.prices(minimum: 10_000_000))
        let filled = try MonthlyCharges.corrections(
            of: Self.november, terms: [Self.term(least)], spare: nil, billed: Self.days([1: 100]), late: Self.days([1: 100]))
        #expect(filled.map(\.amountMicros) == [0])
        let volume = Self.card(1, try Self.prices(mode: .volume, tiers: [(1000, 5000), (nil, 4000)]))
        let cheaper = try MonthlyCharges.corrections(
            of: Self.november, terms: [Self.term(volume)], spare: nil, billed: Self.days([1: 1000]), late: Self.days([1: 10]))
        #expect(cheaper.map(\.amountMicros) == [1010 * 4000 - 1000 * 5000])
        #expect(try MonthlyCharges.corrections(of: Self.november, terms: [Self.term(least)], spare: nil, billed: [:], late: [:]) == [])
    }

    @Test("silent sign-ins have a line after the logins and before the minimum, and change no tier and no included login")
    func silent() throws {
        let card = Self.card(
            1, try Self.prices(included: 10, minimum: 20_000_000, tiers: [(5, 1_000_000), (nil, 500_000)], silent: 100_000))
        let lines = try MonthlyCharges.lines(
            of: Self.november, terms: [Self.term(card)], spare: nil, events: Self.days([1: 17]), silent: Self.days([1: 20, 30: 30]))
        #expect(lines.map(\.kind) == [.included, .logins, .logins, .silentLogins, .minimum])
        #expect(lines.map(\.quantity) == [10, 5, 2, 50, 30])
        #expect(lines.map(\.amountMicros) == [0, 5_000_000, 1_000_000, 5_000_000, 9_000_000])
        #expect(throws: Rating.TooMany(logins: Prices.mostLogins + 1)) {
            try Rating.charges(for: 0, silent: Prices.mostLogins + 1, by: card.prices)
        }
        // The line exists without a price too, and only for sign-ins.
        let free = Self.card(1, try Self.prices())
        let unpriced = try MonthlyCharges.lines(
            of: Self.november, terms: [], spare: Self.term(free), events: [:], silent: Self.days([2: 3]))
        #expect(unpriced.map(\.kind) == [.logins, .silentLogins])
        #expect(unpriced.map(\.amountMicros) == [0, 0])
    }

    @Test("a month's logins and silent sign-ins cost the same however they are split into timely and late ones")
    func splits() throws {
        var random = Chance(20_261_121)
        for _ in 0..<500 {
            let terms = try (0..<Int.random(in: 1...3, using: &random)).map { index in
                Self.term(
                    Self.card(
                        index + 1,
                        try Self.prices(
                            baseFee: Int.random(in: 0...50_000_000, using: &random), included: Int.random(in: 0...500, using: &random),
                            minimum: Int.random(in: 0...20_000_000, using: &random),
                            mode: Prices.TierMode.allCases.randomElement(using: &random)!,
                            tiers: [
                                (Int.random(in: 1...1000, using: &random), Int.random(in: 0...9999, using: &random)),
                                (nil, Int.random(in: 0...9999, using: &random)),
                            ], currency: ["USD", "JPY", "KWD"].randomElement(using: &random)!,
                            silent: [0, Int.random(in: 0...9999, using: &random)].randomElement(using: &random)!)),
                    index * 10 + 1, index * 10 + 10)
            }
            func some() -> [[Day: Int]] {
                (0..<4).map { _ in
                    Self.days(
                        Dictionary(
                            (0..<5).map { _ in (Int.random(in: 1...30, using: &random), Int.random(in: 0...700, using: &random)) }
                        ) { $1 })
                }
            }
            let (parts, silentParts) = (some(), some())
            func all(_ parts: [[Day: Int]]) -> [Day: Int] { parts.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) } }
            let whole = try MonthlyCharges.lines(
                of: Self.november, terms: terms, spare: nil, events: all(parts), silent: all(silentParts))
            var split = try MonthlyCharges.lines(
                of: Self.november, terms: terms, spare: nil, events: parts[0], silent: silentParts[0])
            var (billed, silent) = (parts[0], silentParts[0])
            for (part, silentPart) in zip(parts, silentParts).dropFirst() {
                split += try MonthlyCharges.corrections(
                    of: Self.november, terms: terms, spare: nil, billed: billed, late: part, silent: (silent, silentPart))
                billed.merge(part, uniquingKeysWith: +)
                silent.merge(silentPart, uniquingKeysWith: +)
            }
            // Each card separately, because they may be in different currencies.
            for term in terms {
                func sum(_ lines: [StatementLine], _ amount: (StatementLine) -> Int) -> Int {
                    lines.filter { $0.rateCard == term.rateCard.id }.reduce(0) { $0 + amount($1) }
                }
                #expect(sum(split, \.amountMicros) == sum(whole, \.amountMicros))
                #expect(sum(split, \.exactMicros) == sum(whole, \.exactMicros))
            }
        }
    }

    @Test(
        "numbers have commas", arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func grouped(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}
