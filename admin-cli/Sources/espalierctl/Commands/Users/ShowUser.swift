import ArgumentParser

/// `espalierctl users show`: shows a user with identities and sessions.
struct ShowUser: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a user with Apple identities and active sessions.",
        discussion: """
            EXAMPLES
              espalierctl users show user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .user

    @Argument(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/users/\(user.text)")
    }
}
