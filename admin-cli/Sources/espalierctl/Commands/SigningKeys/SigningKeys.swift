import ArgumentParser

/// `espalierctl signing-keys`: manages the keys that sign a tenant's tokens.
struct SigningKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-keys",
        abstract: "Lists and rotates the keys that sign a tenant's tokens.",
        discussion: """
            Signing keys rotate automatically. The current key signs. The next key is already published and signs later. Retired keys stay \
            published until their last token expires.
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
