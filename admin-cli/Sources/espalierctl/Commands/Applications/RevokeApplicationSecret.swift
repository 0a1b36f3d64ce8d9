import ArgumentParser

/// `espalierctl applications secrets revoke`: the end of one secret.
struct RevokeApplicationSecret: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a client secret, but never the last one.",
        discussion: """
            EXAMPLES
              espalierctl applications secrets revoke app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                secret_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)

    @Argument(help: ArgumentHelp("The application's id.", valueName: "id"))
    var application: Reference

    @Argument(help: ArgumentHelp("The secret's id, as the list shows it.", valueName: "secret-id"))
    var secret: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/applications/\(application.text)/secrets/\(secret.text)").destroying(
            "revokes the secret \(secret.text): whoever uses it is refused at once", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Revoked \(secret.text)."
    }
}
