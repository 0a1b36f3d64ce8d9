import ArgumentParser

/// `espalierctl tenants suspend`: nobody signs in until it is resumed.
struct SuspendTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspends a tenant: nobody signs in until it is resumed.",
        discussion: """
            Nothing is lost. Operators only.

            EXAMPLES
              espalierctl tenants suspend acme
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants/\(tenant.text)/suspend")
    }

    func note(_ answer: JSON) -> String? {
        "espalierctl tenants resume \(tenant.text) undoes it."
    }
}
