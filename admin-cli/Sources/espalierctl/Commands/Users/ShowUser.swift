import ArgumentParser

/// `espalierctl users show`: one user with identities and sessions.
struct ShowUser: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one user, what Apple calls them, and their active sessions.",
        discussion: """
            EXAMPLES
              espalierctl users show user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .user

    @Argument(help: ArgumentHelp("The user's id, the sub of the tokens.", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/users/\(user.text)")
    }
}
