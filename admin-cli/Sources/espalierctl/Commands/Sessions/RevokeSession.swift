import ArgumentParser

/// `espalierctl sessions revoke`: one device is signed out, or one user everywhere.
struct RevokeSession: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes one session, or all of one user.",
        discussion: """
            Refresh tokens end at once; access tokens that are out run to their end, unless the application introspects them.

            EXAMPLES
              espalierctl sessions revoke session_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl sessions revoke --user user_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)

    @Argument(help: ArgumentHelp("The session's id, the sid of the tokens.", valueName: "id"))
    var session: Reference?

    @Option(help: ArgumentHelp("All sessions of this user instead.", valueName: "id"))
    var user: Reference?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard (session == nil) != (user == nil) else { throw ValidationError("Name a session, or --user.") }
    }

    func call(_ session: Session) throws -> Call {
        let tenant = try session.path(tenant)
        if let user { return .post("\(tenant)/users/\(user.text)/sessions/revoke") }
        return .post("\(tenant)/sessions/\(self.session?.text ?? "")/revoke")
    }

    func describe(_ answer: JSON) throws -> String {
        try (user == nil ? View.session : .revocation).details(of: answer)
    }
}
