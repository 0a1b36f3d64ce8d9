import ArgumentParser

/// `espalierctl apple-keys`: manages the Apple keys of a connection.
struct AppleKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple-keys",
        abstract: "Rotates the Apple keys of a connection without an outage.",
        discussion: """
            A connection signs with its current key. During a rotation it also has a next key and a previous key. With --platform, the \
            commands use the shared connection.
            """,
        subcommands: [ListAppleKeys.self, AddAppleKey.self, PromoteAppleKey.self, RetireAppleKey.self, RotateAppleKey.self])
}

extension View {
    static let appleKey = View(
        .init("ID", "id"),
        .init("Key ID", "key_id"),
        .init("State", "state"),
        .init("Fingerprint", "fingerprint").detail.optional,
        .init("Proven", "proven_at").optional,
        .init("Last used", "last_used_at").optional,
        .init("Usable until", "usable_until").optional,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail)
}
