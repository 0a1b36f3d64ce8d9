import ArgumentParser

/// `espalierctl applications secrets roll`: creates a new client secret. The old one stays valid for the overlap.
struct RollApplicationSecret: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll",
        abstract: "Creates a new client secret. The old one stays valid for the overlap.",
        discussion: """
            EXAMPLES
              espalierctl applications secrets roll app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --secret-file shop.secret
              espalierctl applications secrets roll app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --overlap 7d
            """)
    static let view: View? = .applicationSecret

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @OptionGroup var overlap: OverlapOption
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/applications/\(application.text)/secrets/roll", ["overlap_seconds": JSON(overlap.overlap)])
    }
}
