import ArgumentParser
import Foundation

/// A statement as a person names it: by its month, by its ID, or `upcoming`.
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

    /// The same failure. If the month has no statement, the next step is its charges so far.
    /// - Parameters:
    ///   - again: the words that name the tenant.
    ///   - now: the time of the call. A month that has not begun has no charges.
    func advice(for failure: Failure, _ again: String, now: Date = .now) -> Failure {
        guard failure.problem?.status == 404, let month, month.text <= now.formatted(.iso8601).prefix(7) else { return failure }
        var failure = failure
        failure.nextStep =
            "A month has a statement when it is closed. Its charges so far: espalierctl statements upcoming --period \(month.text)\(again)"
        return failure
    }
}
