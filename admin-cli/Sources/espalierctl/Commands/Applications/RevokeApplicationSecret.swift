import ArgumentParser

/// `espalierctl applications secrets revoke`: revokes a client secret.
struct RevokeApplicationSecret: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a client secret. The last secret cannot be revoked.",
        discussion: """
            EXAMPLES
              espalierctl applications secrets revoke app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                secret_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @Argument(help: ArgumentHelp("The secret's ID. `applications secrets list` shows it.", valueName: "secret-id"))
    var secret: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/applications/\(application.text)/secrets/\(secret.text)").destroying(
            "revokes the secret \(secret.text) and rejects it at once", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Revoked \(secret.text)."
    }
}
