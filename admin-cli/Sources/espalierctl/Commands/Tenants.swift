import ArgumentParser

/// `espalierctl tenants`: who may sign users in.
struct Tenants: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks at tenants.",
        subcommands: [ShowTenant.self])
}
