import ArgumentParser

/// `espalierctl notifications show`: shows a notification and its outcome.
struct ShowNotification: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a notification and its outcome.",
        discussion: """
            EXAMPLES
              espalierctl notifications show notification_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)
    static let view: View? = .notification

    @Argument(help: ArgumentHelp("The notification's ID.", valueName: "id"))
    var notification: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/notifications/\(notification.text)")
    }
}
