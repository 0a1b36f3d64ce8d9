import ArgumentParser

/// `espalierctl users consents list`: lists the applications of third parties that a user allowed.
struct ListConsents: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the applications of third parties that a user allowed, newest first.",
        discussion: """
            EXAMPLES
              espalierctl users consents list user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .consent

    @Argument(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/users/\(user.text)/consents")
    }
}
