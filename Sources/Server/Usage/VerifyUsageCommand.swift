import ArgumentParser
import Foundation
import Logging
import Postgres
import Tenancy
import Usage

struct VerifyUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Prove that what is told and billed is what the ledger's events come to.",
        discussion: """
            Counts every month's events anew, to the event: against the sums that answers are made of, logins and users alike, and \
            against the number and the digest on the statement of a closed month. Prints a line for each month; of one whose events \
            were taken out of the ledger, or whose tenant is purged, that only its numbers are there. Exits with 1 where something \
            differs, and says what. Settings are those of `espalier serve`; people may sign in meanwhile.

            For example: espalier usage verify --tenant acme --from 2026-10 --to 2026-11
            """)

    @Option(help: ArgumentHelp("Only this tenant.", valueName: "slug"))
    var tenant: String?

    @Option(help: ArgumentHelp("The first month, in UTC.", valueName: "YYYY-MM"))
    var from: Month?

    @Option(help: ArgumentHelp("The last month.", valueName: "YYYY-MM"))
    var to: Month?

    func validate() throws {
        if let from, let to, to < from { throw ValidationError("--to is before --from.") }
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
        let periods = try await VerifyUsage.periods(of: tenant, from: from, to: to, in: database)
        let width = periods.map(\.slug.count).max() ?? 0
        var differences: [String] = []
        for period in periods {
            let name = period.slug + String(repeating: " ", count: width - period.slug.count)
            guard !period.isTakenOut else {
                print(name, period.month, "only its numbers are there", separator: "  ")
                continue
            }
            let result = try await VerifyUsage.verify(period, in: pool)
            let events = String(result.events)
            print(
                name, period.month, String(repeating: " ", count: max(0, 10 - events.count)) + events,
                result.differences.isEmpty ? "equal" : "differs",
                result.statement == nil ? "open" : "closed", separator: "  ")
            differences += result.differences.map { "\(period.slug) \(period.month): \($0)" }
        }
        return differences
    }
}
