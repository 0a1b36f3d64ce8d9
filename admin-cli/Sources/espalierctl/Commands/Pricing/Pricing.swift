import ArgumentParser

/// `espalierctl pricing`: what logins cost.
struct Pricing: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reckons what logins cost.",
        discussion: "The prices themselves: espalierctl rate-cards --help.",
        subcommands: [EstimatePrice.self, PrintEstimate.self])
}
