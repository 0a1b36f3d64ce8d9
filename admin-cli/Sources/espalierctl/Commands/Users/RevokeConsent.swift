import ArgumentParser

/// `espalierctl users consents revoke`: revokes a user's consent to an application.
struct RevokeConsent: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a user's consent to an application of a third party.",
        discussion: """
            The user's sessions of this application end. The next sign-in asks the user again.

            EXAMPLES
              espalierctl users consents revoke consent_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --user user_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme --confirm=acme
            """)

    @Argument(help: ArgumentHelp("The consent's ID.", valueName: "id"))
    var consent: Reference

    @Option(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/users/\(user.text)/consents/\(consent.text)").destroying(
            "revokes the consent \(consent.text) and ends the user's sessions of the application", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? { "Revoked \(consent.text)." }
}
