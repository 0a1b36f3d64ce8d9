import ArgumentParser

/// `espalierctl tenants suspend`: suspends a tenant. Its users cannot sign in until it is resumed.
struct SuspendTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspends a tenant. Its users cannot sign in until you resume it.",
        discussion: """
            The tenant's data does not change. Requires an operator.

            EXAMPLES
              espalierctl tenants suspend acme
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or ID.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants/\(tenant.text)/suspend")
    }

    func note(_ answer: JSON) -> String? {
        "To resume the tenant: espalierctl tenants resume \(tenant.text)"
    }
}
