package import ArgumentParser

/// The server's program. It contains everything for production and nothing of `espalier-dev`. The target `espalier` only starts it, so that tests can import the rest.
package struct Espalier: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "espalier",
        abstract: "Runs Sign in with Apple for many tenants.",
        discussion: """
            Try it:      espalier-dev dev
            Production:  espalier migrate, espalier seed, espalier serve, with the settings of docs/settings.md
            """,
        version: "0.1.0",
        subcommands: [
            Serve.self, Migrate.self, SeedCommand.self, AuditCommand.self, UsageCommand.self, MasterKeysCommand.self,
            OperatorsCommand.self, GenerateMasterKey.self,
        ])

    package init() {}
}
