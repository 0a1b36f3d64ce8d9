import ArgumentParser

/// `espalierctl pricing`: estimates the cost of logins.
struct Pricing: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Estimates the cost of logins.",
        discussion: "For the prices, see espalierctl rate-cards --help.",
        subcommands: [EstimatePrice.self, PrintEstimate.self])
}
