import Access
import ArgumentParser
import Billing
import Foundation
import Ledger
import Logging
import Postgres
import Tenancy

struct VerifyUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Proves that usage and statements equal the ledger's events.",
        discussion: """
            Counts the events of every month again and compares them exactly with the totals that responses use, for logins and users, \
            and with the number and the digest on the statement of a closed month. Prints a line for each month. If the events of a month \
            were archived, or the tenant is purged, the line shows that only the totals exist. Exits with 1 if there is a difference, and \
            prints it. Uses the settings of `espalier serve`. Users can sign in at the same time.

            --from and --to are months or days in UTC, both inclusive. A whole month is compared with its statement, as it is billed. If \
            only a part of a month is in the range, its days are compared by the time of the login, even if another month bills it: their \
            totals and their users.

            For example: espalier usage verify --tenant acme --from 2026-10 --to 2026-11
            or: espalier usage verify --from 2026-11-20 --to 2026-11-20
            """)

    @Option(help: ArgumentHelp("Verifies only this tenant.", valueName: "slug"))
    var tenant: String?

    @Option(help: ArgumentHelp("The first month or day, in UTC.", valueName: "YYYY-MM[-DD]"))
    var from: UsageBound?

    @Option(help: ArgumentHelp("The last month or day (inclusive), in UTC.", valueName: "YYYY-MM[-DD]"))
    var to: UsageBound?

    func validate() throws {
        if let from, let to, to.lastDay < from.firstDay { throw ValidationError("--to is before --from.") }
    }

    func run() async throws {
        let differences = try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            try await Pooling.check(settings.databaseURL)
            var configuration = DatabasePool.Configuration(url: settings.databaseURL, maximumConnections: 2, applicationName: "espalier")
            // Ten million events take a while.
            configuration.statementTimeout = .seconds(3600)
            let pool = try DatabasePool(
                configuration, logger: Logger(label: "espalier") { _ in JSONLog(level: .error) })
            return try await verify(pool)
        }
        guard differences.isEmpty else {
            for line in differences { FileHandle.standardError.write(Data("espalier: \(line)\n".utf8)) }
            throw ExitCode.failure
        }
    }

    /// Prints a line for each month as soon as it is read.
    /// - Returns: The differences, one per line.
    private func verify(_ pool: DatabasePool) async throws -> [String] {
        let database = PlatformDatabase(pool, for: .command)
        let periods = try await periods(in: database)
        let width = periods.map(\.slug.count).max() ?? 0
        var differences: [String] = []
        for period in periods {
            let name = period.slug + String(repeating: " ", count: width - period.slug.count)
            let time = period.days?.inWords ?? period.month.description
            let result = try await VerifyUsage.verify(period, in: database)
            guard !result.lacksEvents else {
                print(name, time, "only totals exist", separator: "  ")
                continue
            }
            let events = String(result.events)
            var line = [
                name, time, String(repeating: " ", count: max(0, 10 - events.count)) + events,
                result.differences.isEmpty ? "equal" : "differs",
            ]
            // Days have no statement of their own.
            if period.days == nil { line.append(result.statement == nil ? "open" : "closed") }
            if !result.archivedMonths.isEmpty {
                let months = result.archivedMonths.map(\.description).joined(separator: ", ")
                line.append("users not compared: some late logins are billed in \(months), which is archived")
            }
            print(line.joined(separator: "  "))
            differences += result.differences.map { "\(period.slug) \(time): \($0)" }
        }
        return differences
    }

    private func periods(in database: PlatformDatabase) async throws -> [VerifyUsage.Period] {
        guard let tenant else { return try await VerifyUsage.periods(from: from?.firstDay, to: to?.lastDay, in: database) }
        guard try await !database.run(Tenant.find(slug: tenant)).isEmpty
        else { throw Settings.Refusal(description: "Tenant \(tenant) not found. Check the slug.") }
        return try await VerifyUsage.periods(of: tenant, from: from?.firstDay, to: to?.lastDay, in: database)
    }
}

extension ClosedRange<Day> {
    fileprivate var inWords: String {
        lowerBound == upperBound ? lowerBound.description : "\(lowerBound) to \(upperBound)"
    }
}
