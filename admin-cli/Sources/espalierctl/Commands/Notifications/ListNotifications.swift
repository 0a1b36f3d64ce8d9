import ArgumentParser

/// `espalierctl notifications list`: lists Apple's notifications and their outcomes.
struct ListNotifications: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists Apple's notifications, newest first.",
        discussion: """
            The list contains the last 90 days. Notifications to the shared connection belong to the platform. Apple's types are \
            consent-revoked, account-deleted, email-enabled and email-disabled.

            EXAMPLES
              espalierctl notifications list --tenant acme --type consent-revoked
              espalierctl notifications list --platform --outcome unknown_user
            """)
    static let view: View? = .notification

    @Option(help: "Shows only notifications of this type.")
    var type: String?

    @Option(help: "Shows only notifications with this outcome.")
    var outcome: NotificationOutcome?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/notifications", ["type": type, "outcome": outcome?.rawValue])
    }
}
