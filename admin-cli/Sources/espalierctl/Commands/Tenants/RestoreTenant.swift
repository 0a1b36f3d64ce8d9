import ArgumentParser

/// `espalierctl tenants restore`: restores a deleted tenant.
struct RestoreTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a tenant within 30 days of its deletion.",
        discussion: """
            Requires an operator.

            EXAMPLES
              espalierctl tenants restore acme
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or ID.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants/\(tenant.text)/restore")
    }
}
