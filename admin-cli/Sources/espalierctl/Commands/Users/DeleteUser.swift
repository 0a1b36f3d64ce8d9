import ArgumentParser

/// `espalierctl users delete`: deletes a user and revokes the user's tokens at Apple.
struct DeleteUser: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a user, and revokes the user's tokens at Apple.",
        discussion: """
            Espalier deletes the profile, identities and sessions, and revokes the user's tokens at Apple. Another sign-in creates a new user.
            `espalierctl users deletions` shows the time of Apple's confirmation.

            EXAMPLES
              espalierctl users delete user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl users delete user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/users/\(user.text)").destroying(
            "deletes the user \(user.text) with profile, identities and sessions", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(user.text). To see Apple's confirmation: espalierctl users deletions list --user \(user.text)\(tenant.repeated)"
    }
}
