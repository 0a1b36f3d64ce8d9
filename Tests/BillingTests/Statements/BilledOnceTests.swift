import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Half a year of random events: logins in time and late, repeatedly for the same month, aggregated or waiting, months that are archived
/// before their late logins arrive, changes of plans and prices. In every case each login is billed once, and a month costs the price of
/// all its logins together.
@Suite("Billed once")
struct BilledOnceTests {
    private struct Billed: Equatable {
        var logins = 0
        var amounts: [Currency: Int] = [:]
    }

    private static let first = Month("2025-01")!
    private static let months = (1..<6).reduce(into: [first]) { months, _ in months.append(months.last!.next) }

    @Test("a month's logins cost the same regardless of their delay, and all numbers agree", arguments: 1...4)
    func chance(seed: Int) async throws {
        try await TestPlatform.run { platform in
            var chance = Chance(seed)
            let acme = ID<Tenant>(platform.acme.id)!
            let folder = try TemporaryFolder()
            let users = (0..<7).map { _ in UUID() }
            var (plans, happened): ([(String, Tenant.Plan?)], [Day: Int]) = ([("2025-01-01T00:00:00Z", .free)], [:])
            try await platform.plans([("2040-01-01T00:00:00Z", .free)], of: platform.globex)
            var version = 2
            for (number, month) in Self.months.enumerated() {
                _ = try await UsagePartitions.create(month, in: PlatformDatabase(platform.pool))
                for _ in 0..<chance.number(0...2) {
                    version += 1
                    let (day, prices) = (month.firstDay + chance.number(0...27), chance.prices())
                    try await platform.rateCard(
                        chance.number(0...3) == 0 ? nil : Tenant.Plan.allCases.randomElement(using: &chance)!, version: version,
                        from: day.description, currency: prices.currency.code, baseFee: prices.baseFeeMicros,
                        included: prices.includedLogins,
                        minimum: prices.minimumMicros, mode: prices.tierMode, tiers: prices.tiers.map { ($0.up_to, $0.unit_price_micros) })
                }
                if chance.number(0...1) == 0 {
                    let day = month.firstDay + chance.number(0...27)
                    plans.append(("\(day)T12:00:00Z", Tenant.Plan.allCases.randomElement(using: &chance)!))
                }
                try await platform.plans(plans)
                // Logins of this month and of all earlier months, in several pieces.
                for _ in 0..<3 {
                    let times = (0..<chance.number(0...40)).map { _ in
                        let day = Self.months[max(0, number - chance.often(0, or: 0...5))].firstDay + chance.number(0...27)
                        happened[day, default: 0] += 1
                        return (day + 1).start.addingTimeInterval(-0.000_001 * Double(chance.number(1...86_400_000_000)))
                    }
                    // Late logins of an archived month come from new users, because its users are forgotten.
                    try await platform.append(
                        times, application: chance.number(0...1), users: number < 2 ? users : [],
                        connection: chance.number(0...1) == 0 ? "own" : "shared")
                    if chance.number(0...2) > 0 {
                        _ = try await RollUp(database: PlatformDatabase(platform.pool)).add(batch: chance.number(1...50), at: month.end)
                    }
                }
                let upcoming = try await platform.call("GET", "/tenants/acme/statements/upcoming?period=\(month)")
                try await platform.rollUp(at: month.end)
                #expect(try await platform.close(at: month.end.addingTimeInterval(86400)) == 1)
                let statement = try await platform.statement(month.description)
                for reported in ["lines", "totals", "events"] {
                    #expect([reported: upcoming.json[reported]!] as NSDictionary == [reported: statement.json[reported]!] as NSDictionary)
                }
                if number == 2 {
                    try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool)).run(
                        before: Self.months[1], at: month.end)
                }
            }
            try await Self.compare(happened, acme, platform)
            #expect(try await Self.differences(platform) == [])
            _ = try await RestoreUsage(database: PlatformDatabase(platform.ownerPool)).run(folder.path + "/usage_event_2025_01.csv.gz")
            #expect(try await Self.differences(platform) == [])
            let exported = try await platform.export("format=csv&tenant=acme&from=2025-01-01T00:00:00Z&to=2025-07-01T00:00:00Z")
            #expect(exported.lines.count == happened.values.reduce(1, +))
            #expect(Set(exported.lines).count == exported.lines.count)
        }
    }

    /// Compares the amounts on all statements of a month with the price of all its logins together.
    private static func compare(_ happened: [Day: Int], _ acme: ID<Tenant>, _ platform: TestPlatform) async throws {
        let database = PlatformDatabase(platform.pool)
        let prices = try await PriceHistory.find(of: acme, in: database)
        var billed: [Month: Billed] = [:]
        for month in months {
            for line in try await database.run(StatementLine.all(of: month, acme)).map(StatementLine.init) {
                billed[line.servicePeriod, default: .init()].amounts[line.currency, default: 0] += line.amountMicros
                if line.kind != .baseFee, line.kind != .minimum { billed[line.servicePeriod]?.logins += line.quantity }
            }
        }
        for month in months {
            let logins = happened.filter { $0.key.month == month }
            let lines = try MonthlyCharges.lines(
                of: month, terms: Term.all(of: month, plans: prices.plans, rateCards: prices.rateCards), spare: nil, events: logins)
            let expected = Billed(
                logins: logins.values.reduce(0, +),
                amounts: lines.reduce(into: [:]) { $0[$1.currency, default: 0] += $1.amountMicros })
            #expect(billed[month] == expected, "\(month)")
        }
    }

    private static func differences(_ platform: TestPlatform) async throws -> [String] {
        var differences: [String] = []
        for period in try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool)) {
            differences += try await VerifyUsage.verify(period, in: PlatformDatabase(platform.pool)).differences.map {
                "\(period.month): \($0)"
            }
        }
        return differences
    }
}
