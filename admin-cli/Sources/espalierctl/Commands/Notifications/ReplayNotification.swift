import ArgumentParser

/// `espalierctl notifications replay`: one thing that Apple told, worked off once more.
struct ReplayNotification: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Has a notification worked off once more.",
        discussion: """
            It does no harm: whatever happened since, a new sign-in above all, holds. One whose user is deleted is forgotten, and refused.

            EXAMPLES
              espalierctl notifications replay notification_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
              espalierctl notifications replay notification_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --platform
            """)
    static let view: View? = .notification

    @Argument(help: ArgumentHelp("The notification's id.", valueName: "id"))
    var notification: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(owner))/notifications/\(notification.text)/replay")
    }
}
