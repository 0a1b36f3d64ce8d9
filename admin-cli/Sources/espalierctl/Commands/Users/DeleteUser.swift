import ArgumentParser

/// `espalierctl users delete`: a user is gone, here and at Apple.
struct DeleteUser: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a user, here and at Apple.",
        discussion: """
            Their profile, identities and sessions go, and Apple is told to revoke. Signing in again makes a new user.
            `espalierctl users deletions` says when Apple has confirmed it.

            EXAMPLES
              espalierctl users delete user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl users delete user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The user's id, the sub of the tokens.", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/users/\(user.text)").destroying(
            "deletes the user \(user.text), with profile, identities and sessions", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(user.text). What Apple says to it: espalierctl users deletions list --user \(user.text)\(tenant.again)"
    }
}
