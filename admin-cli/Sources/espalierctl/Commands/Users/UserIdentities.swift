import ArgumentParser

/// `espalierctl users identities`: manages the Apple Accounts of a user.
struct UserIdentities: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identities",
        abstract: "Lists, adds and removes the Apple identities of a user.",
        subcommands: [ListIdentities.self, AddIdentity.self, RemoveIdentity.self])
}
