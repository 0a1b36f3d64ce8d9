import ArgumentParser

/// `espalierctl users identities remove`: removes an Apple identity from a user.
struct RemoveIdentity: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an Apple identity from a user, and revokes its token at Apple.",
        discussion: """
            All sessions of the user end. The user signs in again with another identity. A sign-in with the removed one creates a new user.
            An identity without which the user could not sign in cannot be removed. To delete the user: espalierctl users delete.
            The audit event removeIdentity says whether the token can be revoked. Espalier tries until Apple confirms, and stops when no
            connection for the token has existed for 30 days.

            EXAMPLES
              espalierctl users identities remove identity_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --user user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme --confirm=acme
            """)

    @Argument(help: ArgumentHelp("The identity's ID.", valueName: "id"))
    var identity: Reference

    @Option(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/users/\(user.text)/identities/\(identity.text)").destroying(
            "removes the identity \(identity.text) and ends the user's sessions", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? { "Removed \(identity.text)." }
}
