import ArgumentParser

/// `espalierctl tenants resume`: resumes a suspended tenant.
struct ResumeTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes a suspended tenant.",
        discussion: """
            Requires an operator.

            EXAMPLES
              espalierctl tenants resume acme
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or ID.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants/\(tenant.text)/resume")
    }
}
