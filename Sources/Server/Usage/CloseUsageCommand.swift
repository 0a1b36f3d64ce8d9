import Access
import ArgumentParser
import Billing
import Encoding
import Foundation
import Ledger
import Logging
import Postgres
import Web

struct CloseUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Closes all ended months now.",
        discussion: """
            `espalier serve` does the same automatically every 10 minutes. Each tenant's months whose grace time has passed become \
            statements, which never change again. Prints their number. Uses the settings of `espalier serve`.

            For development, --as-of sets another time as now, even a future one. Then the current month is closed, and later logins \
            belong to the next month. This needs ESPALIER_SIMULATED_CLOCK=true, which `espalier-dev dev` writes to dev.env.
            """)

    @Option(name: .customLong("as-of"), help: ArgumentHelp("The time to use as now, in RFC 3339.", valueName: "time"))
    var asOf: String?

    func validate() throws {
        if let asOf, RFC3339.date(asOf) == nil { throw ValidationError("--as-of must be a time such as 2026-12-05T00:00:00Z.") }
    }

    func run() async throws {
        try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            let now = asOf.flatMap(RFC3339.date) ?? Date()
            guard asOf == nil || settings.simulatesClock else {
                throw Settings.Refusal(
                    description: """
                        --as-of needs ESPALIER_SIMULATED_CLOCK=true. It is for development: a month that is closed by mistake stays closed.
                        """)
            }
            try await Pooling.check(settings.databaseURL)
            let logger = Logger(label: "espalier") { _ in JSONLog(level: .error) }
            let database = PlatformDatabase(
                try DatabasePool(
                    .init(url: settings.databaseURL, maximumConnections: 2, applicationName: "espalier"), logger: logger),
                for: .command)
            let closing = CloseStatements(
                database: database, grace: TimeInterval(settings.usageGrace), simulatesClock: settings.simulatesClock, logger: logger)
            let closed: Int
            do { closed = try await closing.pass(at: now) } catch let error as DatabaseError where error.isLockTimeout {
                throw Settings.Refusal(
                    description: "Nothing was closed, because a server is still aggregating usage. Try again in a few seconds.")
            }
            print("\(closed) month\(closed == 1 ? "" : "s") closed")
        }
    }
}
