import ArgumentParser

/// `espalierctl users deletions list`: lists the records of a tenant's deleted users.
struct ListUserDeletions: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the records of deleted users, newest first.",
        discussion: """
            EXAMPLES
              espalierctl users deletions list --tenant acme --status pending
              espalierctl users deletions list --tenant acme \\
                --user user_01jd8x3v6qf9wr2m5tzk7h4c0n
            """)
    static let view: View? = .userDeletion

    @Option(help: ArgumentHelp("Shows only the record of this user.", valueName: "id"))
    var user: Reference?

    @Option(help: "Shows only records with this status. Apple has not confirmed pending ones.")
    var status: UserDeletionStatus?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/user-deletions", ["user": user?.text, "status": status?.rawValue])
    }
}
