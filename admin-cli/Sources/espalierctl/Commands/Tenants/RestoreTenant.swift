import ArgumentParser

/// `espalierctl tenants restore`: a deleted tenant comes back.
struct RestoreTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a deleted tenant, within 30 days.",
        discussion: """
            Operators only.

            EXAMPLES
              espalierctl tenants restore acme
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants/\(tenant.text)/restore")
    }
}
