import ArgumentParser

/// `espalierctl tenants resume`: the end of a suspension.
struct ResumeTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes a suspended tenant.",
        discussion: """
            Operators only.

            EXAMPLES
              espalierctl tenants resume acme
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants/\(tenant.text)/resume")
    }
}
