import ArgumentParser

/// `espalierctl sessions revoke`: revokes a session, or all sessions of a user.
struct RevokeSession: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a session, or all sessions of a user.",
        discussion: """
            Refresh tokens end at once. Userinfo and introspection reject the access tokens. An API that verifies tokens offline \
            accepts them until it reads the revocations, or until they expire.

            EXAMPLES
              espalierctl sessions revoke session_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl sessions revoke --user user_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)

    @Argument(help: ArgumentHelp("The session's ID (the tokens' sid).", valueName: "id"))
    var session: Reference?

    @Option(help: ArgumentHelp("Revokes all sessions of this user.", valueName: "id"))
    var user: Reference?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard (session == nil) != (user == nil) else { throw ValidationError("Pass either a session's ID or --user.") }
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
