import ArgumentParser

/// A month in UTC, for example 2026-11.
struct Month: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard argument.wholeASCIIMatch(of: #/[0-9]{4}-(?:0[1-9]|1[0-2])/#) != nil else { return nil }
        text = argument
    }
}
