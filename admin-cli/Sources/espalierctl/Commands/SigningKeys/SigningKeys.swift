import ArgumentParser

/// `espalierctl signing-keys`: the keys that sign a tenant's tokens.
struct SigningKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-keys",
        abstract: "Looks at the keys that sign a tenant's tokens, and rotates them.",
        discussion: """
            They take turns by themselves. One signs (current), one will and is published already (next), and those before stay \
            published while a token of theirs may live (retired).
            """,
        subcommands: [ListSigningKeys.self, RotateSigningKeys.self])
}

extension View {
    static let signingKey = View(
        .init("Key ID", "id"),
        .init("Algorithm", "algorithm"),
        .init("State", "state"),
        .init("Created", "created_at"),
        .init("Signs since", "activated_at").optional,
        .init("Published until", "published_until").optional, expendable: ["Created"])
}
