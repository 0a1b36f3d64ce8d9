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
        abstract: "Prove that what is told and billed is what the ledger's events come to.",
        discussion: """
            Counts every month's events anew, to the event: against the sums that answers are made of, logins and users alike, and \
            against the number and the digest on the statement of a closed month. Prints a line for each month; of one whose events \
            were taken out of the ledger, or whose tenant is purged, that only its numbers are there. Exits with 1 where something \
            differs, and says what. Settings are those of `espalier serve`; people may sign in meanwhile.

            --from and --to take months and days, in UTC and both included. A whole month is compared as it is billed, with its \
            statement. Of one that is only in part in the range, the days are compared by when people signed in, whenever that is billed: \
            their sums and their users.

            For example: espalier usage verify --tenant acme --from 2026-10 --to 2026-11
            or: espalier usage verify --from 2026-11-20 --to 2026-11-20
            """)

    @Option(help: ArgumentHelp("Only this tenant.", valueName: "slug"))
    var tenant: String?

    @Option(help: ArgumentHelp("The first month or day, in UTC.", valueName: "YYYY-MM[-DD]"))
    var from: UsageBound?

    @Option(help: ArgumentHelp("The last month or day, which is included.", valueName: "YYYY-MM[-DD]"))
    var to: UsageBound?

    func validate() throws {
        if let from, let to, to.lastDay < from.firstDay { throw ValidationError("--to is before --from.") }
    }

    func run() async throws {
        let differences = try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            var configuration = DatabasePool.Configuration(url: settings.databaseURL, maximumConnections: 2, applicationName: "espalier")
            // Ten million events take a while.
            configuration.statementTimeout = .seconds(3600)
            let pool = try DatabasePool(
                configuration, logger: Logger(label: "espalier") { JSONLog(label: $0, level: .error) })
            return try await verify(pool)
        }
        guard differences.isEmpty else {
            for line in differences { FileHandle.standardError.write(Data("espalier: \(line)\n".utf8)) }
            throw ExitCode.failure
        }
    }

    /// Prints a line for each month as soon as it is read.
    /// - Returns: what differs, a line each.
    private func verify(_ pool: DatabasePool) async throws -> [String] {
        let database = PlatformDatabase(pool)
        if let tenant, try await database.run(Tenant.find(slug: tenant)).isEmpty {
            throw Settings.Refusal(description: "There is no tenant \(tenant).")
        }
        let periods = try await VerifyUsage.periods(of: tenant, from: from?.firstDay, to: to?.lastDay, in: database)
        let width = periods.map(\.slug.count).max() ?? 0
        var differences: [String] = []
        for period in periods {
            let name = period.slug + String(repeating: " ", count: width - period.slug.count)
            let time = period.days?.inWords ?? period.month.description
            let result = try await VerifyUsage.verify(period, in: pool)
            guard !result.isTakenOut else {
                print(name, time, "only its numbers are there", separator: "  ")
                continue
            }
            let events = String(result.events)
            var line = [
                name, time, String(repeating: " ", count: max(0, 10 - events.count)) + events,
                result.differences.isEmpty ? "equal" : "differs",
            ]
            // Days are on no statement of their own.
            if period.days == nil { line.append(result.statement == nil ? "open" : "closed") }
            if !result.takenOut.isEmpty {
                let months = result.takenOut.map(\.description).joined(separator: ", ")
                line.append("users not compared: some of its logins came late, and are billed in \(months), which is taken out")
            }
            print(line.joined(separator: "  "))
            differences += result.differences.map { "\(period.slug) \(time): \($0)" }
        }
        return differences
    }
}

extension ClosedRange<Day> {
    fileprivate var inWords: String {
        lowerBound == upperBound ? lowerBound.description : "\(lowerBound) to \(upperBound)"
    }
}
