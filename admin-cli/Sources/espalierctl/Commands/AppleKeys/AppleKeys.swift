import ArgumentParser

/// `espalierctl apple-keys`: the keys a connection signs with.
struct AppleKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple-keys",
        abstract: "Rotates the keys of a connection, without an outage.",
        discussion: """
            A connection has a current key, and while it is rotated a next and a previous one. With --platform it is the shared connection.
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
