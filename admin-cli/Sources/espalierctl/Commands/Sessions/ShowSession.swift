import ArgumentParser

/// `espalierctl sessions show`: shows a session.
struct ShowSession: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a session.",
        discussion: """
            EXAMPLES
              espalierctl sessions show session_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .session

    @Argument(help: ArgumentHelp("The session's ID (the tokens' sid).", valueName: "id"))
    var session: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/sessions/\(self.session.text)")
    }
}
