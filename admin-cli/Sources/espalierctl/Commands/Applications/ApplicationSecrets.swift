import ArgumentParser

/// `espalierctl applications secrets`: manages the client secrets of an application.
struct ApplicationSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Lists, rolls and revokes an application's client secrets.",
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
