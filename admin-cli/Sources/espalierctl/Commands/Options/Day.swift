import ArgumentParser

/// A day in UTC, for example 2026-11-01.
struct Day: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard argument.wholeASCIIMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) != nil, Instant(argument: argument) != nil else { return nil }
        text = argument
    }
}
