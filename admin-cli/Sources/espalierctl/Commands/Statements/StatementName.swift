import ArgumentParser
import Foundation

/// The name of a statement: its month, its ID, or `upcoming`.
struct StatementName: ExpressibleByArgument {
    let text: String
    private let month: Month?

    init?(argument: String) {
        month = Month(argument: argument)
        guard month != nil || argument == "upcoming" || argument.utf8.starts(with: "statement_".utf8), Reference(argument: argument) != nil
        else { return nil }
        text = argument
    }

    var isUpcoming: Bool { text == "upcoming" }

    /// Returns the failure. If the month has no statement yet, the next step is the command for the charges so far.
    /// - Parameters:
    ///   - tenant: the option that names the tenant.
    ///   - now: the current time. A future month has no charges.
    func advice(for failure: Failure, _ tenant: String, now: Date = .now) -> Failure {
        guard failure.problem?.status == 404, let month, month.text <= now.formatted(.iso8601).prefix(7) else { return failure }
        var failure = failure
        failure.nextStep =
            "A statement exists only for a closed month. For the charges so far: espalierctl statements upcoming --period \(month.text)\(tenant)"
        return failure
    }
}
