import ArgumentParser
import Billing
import Foundation
import Ledger
import Logging
import Postgres
import Web

struct CloseUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Close the months that are over, now.",
        discussion: """
            What `espalier serve` does by itself every ten minutes: each tenant's months that ended more than the time of grace ago become \
            statements, which never change again. Prints how many. Settings are those of `espalier serve`.

            For development, --as-of takes another time for now, one that has not come as well: the month that is running is closed, and \
            who signs in afterwards is on the next one. Only with ESPALIER_SIMULATED_CLOCK=true, which `espalier dev` writes into dev.env.
            """)

    @Option(name: .customLong("as-of"), help: ArgumentHelp("The time to take for now, in RFC 3339.", valueName: "time"))
    var asOf: String?

    func validate() throws {
        if let asOf, RFC3339.date(asOf) == nil { throw ValidationError("--as-of takes a time as 2026-12-05T00:00:00Z.") }
    }

    func run() async throws {
        try await orRefuse {
            let settings = try Settings(try await Settings.reader())
            let now = asOf.flatMap(RFC3339.date) ?? Date()
            guard asOf == nil || settings.simulatesClock else {
                throw Settings.Refusal(
                    description: """
                        --as-of needs ESPALIER_SIMULATED_CLOCK=true: a month that is closed by mistake stays closed. It is for development.
                        """)
            }
            let logger = Logger(label: "espalier") { JSONLog(label: $0, level: .error) }
            let pool = try DatabasePool(
                .init(url: settings.databaseURL, maximumConnections: 2, applicationName: "espalier"), logger: logger)
            do { _ = try await RollUp(pool: pool).add(at: now) } catch let error as DatabaseError where error.isLockTimeout {
                throw Settings.Refusal(
                    description: "Nothing was closed: a server adds up usage, and has more of it than it does in a moment. Try again.")
            }
            let closed = try await CloseStatements(
                pool: pool, grace: TimeInterval(settings.usageGrace), simulatesClock: settings.simulatesClock, logger: logger
            ).pass(at: now)
            print("\(closed) month\(closed == 1 ? "" : "s") closed")
        }
    }
}
