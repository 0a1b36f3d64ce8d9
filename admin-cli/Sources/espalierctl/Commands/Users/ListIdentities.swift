import ArgumentParser

/// `espalierctl users identities list`: lists the Apple identities of a user.
struct ListIdentities: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the Apple identities of a user.",
        discussion: """
            EXAMPLES
              espalierctl users identities list user_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)
    static let view: View? = .identity

    @Argument(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/users/\(user.text)/identities")
    }
}
