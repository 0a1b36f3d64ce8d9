import ArgumentParser

/// `espalierctl notifications replay`: processes a notification again.
struct ReplayNotification: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Processes a notification again.",
        discussion: """
            A replay is safe. It does not override later events, for example a new login. The notification of a deleted user is erased and \
            cannot be replayed.

            EXAMPLES
              espalierctl notifications replay notification_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
              espalierctl notifications replay notification_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --platform
            """)
    static let view: View? = .notification

    @Argument(help: ArgumentHelp("The notification's ID.", valueName: "id"))
    var notification: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(owner))/notifications/\(notification.text)/replay")
    }
}
