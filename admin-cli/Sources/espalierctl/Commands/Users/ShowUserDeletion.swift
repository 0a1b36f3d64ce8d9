import ArgumentParser

/// `espalierctl users deletions show`: shows the record of a deletion. App Review may ask for it.
struct ShowUserDeletion: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the time of a user's deletion and of Apple's confirmation.",
        discussion: """
            EXAMPLES
              espalierctl users deletions show deletion_01jd8x5c2mf3wq7r9tzk4h6b1p \\
                --tenant acme
            """)
    static let view: View? = .userDeletion

    @Argument(help: ArgumentHelp("The record's ID.", valueName: "id"))
    var deletion: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/user-deletions/\(deletion.text)")
    }
}
