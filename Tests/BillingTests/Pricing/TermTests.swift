import Access
@testable import Billing
import Foundation
@testable import Ledger
import Tenancy
import TestSupport
import Testing

@Suite("Terms")
struct TermTests {
    private let tenant = UUID()

    /// A card with unique prices, unless they are given.
    private func card(
        _ from: String, plan: Tenant.Plan? = .scale, version: Int = 1, followsPlan: Bool = false, owner: UUID? = nil, prices: Prices? = nil
    ) -> RateCard {
        let place = plan.flatMap { Tenant.Plan.allCases.firstIndex(of: $0) } ?? 99
        return RateCard(
            id: ID(UUID()), owner: owner ?? (plan == nil ? tenant : .platform), plan: plan, version: version, effectiveFrom: Day(from)!,
            followsPlan: followsPlan, prices: prices ?? Prices.of(.graduated, (nil, 5000 + 100 * place + version)), createdAt: Date())
    }

    private func at(_ text: String) throws -> Date {
        try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// In the form `2026-11-01…2026-11-30 scale v1`.
    private func terms(_ month: String, _ plans: [PlanChange], _ cards: [RateCard]) -> [String] {
        Term.all(of: Month(month)!, plans: plans, rateCards: cards).map {
            "\($0.firstDay)…\($0.lastDay) \($0.plan) \($0.rateCard.plan == nil ? "own " : "")v\($0.rateCard.version)"
        }
    }

    @Test("a month with one plan and one card is one term, with 28, 29, 30 or 31 days")
    func whole() throws {
        let plans = [PlanChange(at: try at("2023-01-01T00:00:00.000Z"), plan: .scale)]
        for (month, last) in [("2023-02", "28"), ("2024-02", "29"), ("2026-11", "30"), ("2026-12", "31"), ("2100-02", "28")] {
            #expect(terms(month, plans, [card("2000-01-01")]) == ["\(month)-01…\(month)-\(last) scale v1"])
        }
    }

    @Test("a card starts on its first day, the newer of two on one day applies, and a tenant's own has priority")
    func cards() throws {
        let plans = [PlanChange(at: try at("2026-01-01T00:00:00.000Z"), plan: .scale)]
        let cards = [
            card("2000-01-01"), card("2026-11-10", version: 2), card("2026-11-10", version: 3), card("2026-11-01", plan: .free, version: 9),
            card("2026-11-20", plan: nil), card("2026-11-25", plan: nil, version: 2, followsPlan: true), card("2026-12-01", version: 4),
        ]
        let expected = [
            "2026-11-01…2026-11-09 scale v1", "2026-11-10…2026-11-19 scale v3", "2026-11-20…2026-11-24 scale own v1",
            "2026-11-25…2026-11-30 scale v3",
        ]
        #expect(terms("2026-11", plans, cards) == expected)
        // The order of the input has no effect.
        var chance = Chance(1)
        for _ in 0..<20 { #expect(terms("2026-11", plans, cards.shuffled(using: &chance)) == expected) }
        #expect(terms("2026-12", plans, cards) == ["2026-12-01…2026-12-31 scale v4"])
    }

    @Test("a later version with an earlier start does not replace a card that started later")
    func latestBeginningFirst() {
        let cards = [card("2026-11-10", version: 1), card("2026-11-05", version: 2)]
        #expect(cards.holding(on: Day("2026-11-07")!, plan: .scale)?.version == 2)
        #expect(cards.holding(on: Day("2026-11-10")!, plan: .scale)?.version == 1)
        #expect(cards.holding(on: Day("2026-11-04")!, plan: .scale) == nil)
    }

    @Test("a day is billed by the tenant's last plan on it, to the microsecond")
    func plans() throws {
        let cards = Tenant.Plan.allCases.map { card("2000-01-01", plan: $0) }
        let begun = PlanChange(at: try at("2026-10-15T12:00:00.000Z"), plan: .free)
        let midnight = try at("2026-11-10T00:00:00.000Z")
        func split(_ change: Date) -> [String] { terms("2026-11", [begun, PlanChange(at: change, plan: .scale)], cards) }
        #expect(split(midnight) == ["2026-11-01…2026-11-09 free v1", "2026-11-10…2026-11-30 scale v1"])
        #expect(split(midnight.addingTimeInterval(86399.999999)) == split(midnight))
        #expect(split(midnight.addingTimeInterval(-0.000001)) == ["2026-11-01…2026-11-08 free v1", "2026-11-09…2026-11-30 scale v1"])
        // A change and its reversal on one day have no effect.
        let back = [
            begun, PlanChange(at: midnight.addingTimeInterval(60), plan: .enterprise),
            PlanChange(at: midnight.addingTimeInterval(120), plan: .free),
        ]
        #expect(terms("2026-11", back, cards) == ["2026-11-01…2026-11-30 free v1"])
        #expect(terms("2026-11", back.reversed(), cards) == ["2026-11-01…2026-11-30 free v1"])
    }

    @Test("a tenant pays from the day of its creation to the day of its deletion, and again after a restoration")
    func existence() throws {
        let cards = [card("2000-01-01")]
        let changes = [
            PlanChange(at: try at("2026-11-05T23:59:59.999Z"), plan: .scale), PlanChange(at: try at("2026-11-10T00:00:00.000Z"), plan: nil),
            PlanChange(at: try at("2026-11-20T10:00:00.000Z"), plan: .scale), PlanChange(at: try at("2026-11-21T00:00:00.000Z"), plan: nil),
        ]
        #expect(terms("2026-11", changes, cards) == ["2026-11-05…2026-11-10 scale v1", "2026-11-20…2026-11-21 scale v1"])
        #expect(terms("2026-10", changes, cards) == [])
        #expect(terms("2026-12", changes, cards) == [])
    }

    @Test("without a change of prices no term starts, and the term names the last card and plan")
    func equalPrices() throws {
        let prices = Prices.of(.graduated, in: "USD", baseFee: 50_000_000, included: 1000, (nil, 25_000))
        let plans = [
            PlanChange(at: try at("2026-01-01T00:00:00.000Z"), plan: .free),
            PlanChange(at: try at("2026-11-16T09:00:00.000Z"), plan: .scale),
        ]
        let equal = [
            card("2000-01-01", plan: .free, prices: prices), card("2000-01-01", prices: prices),
            card("2026-11-20", version: 2, prices: prices), card("2026-11-25", plan: nil, prices: prices),
        ]
        #expect(terms("2026-11", plans, equal) == ["2026-11-01…2026-11-30 scale own v1"])
        #expect(terms("2026-11", plans, Array(equal.dropLast())) == ["2026-11-01…2026-11-30 scale v2"])
        // A change and its reversal on different days are two changes.
        let other = [card("2026-11-10", plan: .free, version: 2), card("2026-11-12", plan: .free, version: 3, prices: prices)]
        #expect(
            terms("2026-11", plans, Array(equal.prefix(2)) + other) == [
                "2026-11-01…2026-11-09 free v1", "2026-11-10…2026-11-11 free v2", "2026-11-12…2026-11-30 scale v1",
            ])
        // Days without the tenant separate terms.
        let gone =
            plans.prefix(1) + [
                PlanChange(at: try at("2026-11-10T00:00:00.000Z"), plan: nil),
                PlanChange(at: try at("2026-11-20T00:00:00.000Z"), plan: .free),
            ]
        #expect(terms("2026-11", Array(gone), equal).count == 2)
    }

    @Test("a change that affects no price changes no total, for any cards, plans and logins", arguments: 0..<200)
    func noPriceChanges(seed: Int) throws {
        var chance = Chance(seed)
        let month = Month(year: chance.number(2024...2028), month: chance.number(1...12))
        func day() -> Day { month.firstDay + chance.number(0...(month.days - 1)) }
        func moment() -> Date { day().start.addingTimeInterval(Double(chance.number(0...86399))) }
        // Real changes of prices, and of a plan.
        let few = (0..<3).map { _ in chance.prices() }
        var cards = Tenant.Plan.allCases.map { card("2000-01-01", plan: $0, prices: few.randomElement(using: &chance)!) }
        for version in 2..<chance.number(3...6) {
            let plan = chance.number(0...2) == 0 ? nil : Tenant.Plan.allCases.randomElement(using: &chance)
            cards.append(card("\(day())", plan: plan, version: version, prices: few.randomElement(using: &chance)!))
        }
        var plans = [PlanChange(at: month.previous.start, plan: Tenant.Plan.allCases.randomElement(using: &chance))]
        for _ in 0..<chance.number(0...2) {
            plans.append(PlanChange(at: moment(), plan: Tenant.Plan.allCases.randomElement(using: &chance)))
        }
        let events = Dictionary((0..<8).map { _ in (day(), chance.number(0...60)) }) { $1 }

        func totals(_ plans: [PlanChange], _ cards: [RateCard]) throws -> [Currency: Int] {
            try MonthlyCharges.lines(of: month, terms: Term.all(of: month, plans: plans, rateCards: cards), spare: nil, events: events)
                .reduce(into: [:]) { $0[$1.currency, default: 0] += $1.amountMicros }
        }
        let before = try totals(plans, cards)

        // The card in effect on some day, issued again from that day.
        for version in 10..<13 {
            let day = day()
            let sorted = plans.sorted { $0.at < $1.at }
            guard let plan = sorted.last(where: { Day($0.at) <= day })?.plan, let same = cards.holding(on: day, plan: plan) else {
                continue
            }
            // A card that starts later stays in effect from then.
            cards.append(card("\(day)", plan: same.plan, version: version, prices: same.prices))
        }
        #expect(try totals(plans, cards) == before)

        // Another plan with another name and the same cards.
        let (old, new) = (Tenant.Plan.allCases[0], Tenant.Plan.allCases[1])
        let alike =
            cards.filter { $0.plan != new }
            + cards.filter { $0.plan == old }.map {
                card("\($0.effectiveFrom)", plan: new, version: $0.version, prices: $0.prices)
            }
        let first = [PlanChange(at: month.previous.start, plan: old)]
        let renamed = first + (0..<3).map { PlanChange(at: moment(), plan: $0 % 2 == 0 ? new : old) }
        #expect(try totals(renamed, alike) == totals(first, alike))
    }

    @Test("the terms of any month are consecutive and never overlap", arguments: 0..<100)
    func byChance(seed: Int) throws {
        var chance = Chance(seed)
        let month = Month(year: chance.number(2024...2028), month: chance.number(1...12))
        let begin = month.previous.start
        let changes = (0..<chance.number(1...6)).map { _ in
            PlanChange(
                at: begin.addingTimeInterval(Double(chance.number(0...(86400 * 62)))),
                plan: chance.number(0...4) == 0 ? nil : Tenant.Plan.allCases.randomElement(using: &chance))
        }
        let cards =
            Tenant.Plan.allCases.map { card("2000-01-01", plan: $0) }
            + (2..<chance.number(3...8)).map { version in
                card(
                    "\(Day(number: month.firstDay.number + chance.number(-10...40)))",
                    plan: chance.number(0...2) == 0 ? nil : Tenant.Plan.allCases.randomElement(using: &chance), version: version,
                    followsPlan: false)
            }
        let terms = Term.all(of: month, plans: changes, rateCards: cards)
        var end = month.firstDay.number - 1
        for term in terms {
            #expect(term.firstDay.number > end && term.firstDay <= term.lastDay)
            #expect(term.days == term.lastDay.number - term.firstDay.number + 1)
            for number in term.firstDay.number...term.lastDay.number {
                #expect(cards.holding(on: Day(number: number), plan: term.plan)?.id == term.rateCard.id)
            }
            end = term.lastDay.number
        }
        #expect(end <= month.lastDay.number)
        #expect(terms.reduce(0) { $0 + $1.days } <= month.days)
    }
}

@Suite("Days and months")
struct DayTests {
    @Test("a day is parsed only from its exact text")
    func text() {
        for text in ["2000-01-01", "2024-02-29", "2026-11-30", "2026-12-31", "9999-12-31"] { #expect(Day(text)?.description == text) }
        for text in [
            "2023-02-29", "2100-02-29", "2026-11-31", "2026-13-01", "2026-00-10", "2026-11-00", "1999-12-31", "26-11-01", "2026-11-1",
            "2026-11-01T", "+026-11-01", "2026-11-+1", "２026-11-01", "",
        ] { #expect(Day(text) == nil, "\(text)") }
        #expect(Month("2026-11")?.description == "2026-11" && Month("2026-00") == nil && Month("2026-1") == nil)
    }

    @Test(
        "the last microsecond of a day is in it, and the next is not", arguments: ["2024-02-29", "2026-12-31", "2026-11-30", "2038-01-19"])
    func ends(text: String) {
        let day = Day(text)!
        #expect(Day(day.start) == day)
        #expect(Day((day + 1).start.addingTimeInterval(-0.000001)) == day)
        #expect(Day((day + 1).start) == day + 1)
        #expect(day.month.firstDay <= day && day <= day.month.lastDay)
        #expect(day.month.lastDay + 1 == day.month.next.firstDay && day.month.next.previous == day.month)
    }
}

@Suite("Currencies")
struct CurrencyTests {
    @Test("an amount is written with the currency's decimals, and with more if needed")
    func text() {
        for (code, micros, text) in [
            ("USD", 5000, "0.005"), ("USD", 0, "0.00"), ("USD", 12_340_000, "12.34"), ("USD", -10_000, "-0.01"), ("JPY", 1_000_000, "1"),
            ("JPY", 500_000, "0.5"), ("KWD", 1_234_000, "1.234"), ("KWD", 1_000_000, "1.000"), ("CLF", 100, "0.0001"),
            ("USD", 1, "0.000001"),
        ] { #expect(Currency(code)?.text(micros: micros) == text) }
    }

    @Test("a code that is not a currency in use is refused", arguments: ["usd", "XAU", "XXX", "DEM", "US", "", "EURO"])
    func unknown(code: String) {
        #expect(Currency(code) == nil)
    }
}
