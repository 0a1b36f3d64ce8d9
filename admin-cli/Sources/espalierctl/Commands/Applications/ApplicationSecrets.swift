import ArgumentParser

/// `espalierctl applications secrets`: what an application proves itself by.
struct ApplicationSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Rolls and revokes an application's client secrets.",
        subcommands: [ListApplicationSecrets.self, RollApplicationSecret.self, RevokeApplicationSecret.self])
}

extension View {
    static let applicationSecret = View(
        .init("ID", "id"),
        .init("Ends with", "last_four"),
        .init("Expires", "expires_at").optional,
        .init("Created", "created_at"),
        .init("Client secret", "client_secret").detail.optional)
}
