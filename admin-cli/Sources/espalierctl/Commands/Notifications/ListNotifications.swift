import ArgumentParser

/// `espalierctl notifications list`: what Apple told, and what became of it.
struct ListNotifications: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists what Apple told of the users, the newest first.",
        discussion: """
            Of the last 90 days. What came through the shared connection is the platform's. Apple's types are consent-revoked, \
            account-deleted, email-enabled and email-disabled.

            EXAMPLES
              espalierctl notifications list --tenant acme --type consent-revoked
              espalierctl notifications list --platform --outcome unknown_user
            """)
    static let view: View? = .notification

    @Option(help: "Only those of this type.")
    var type: String?

    @Option(help: "Only those that this became of.")
    var outcome: NotificationOutcome?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/notifications", ["type": type, "outcome": outcome?.rawValue])
    }
}
