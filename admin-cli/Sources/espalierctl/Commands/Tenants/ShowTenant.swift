import ArgumentParser

/// `espalierctl tenants show`: shows a tenant.
struct ShowTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant.",
        discussion: """
            EXAMPLES
              espalierctl tenants show acme
              espalierctl tenants show acme --json | jq -r .plan
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or ID.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: ReadOptions

    func call(_ session: Session) -> Call {
        .get("tenants/\(tenant.text)")
    }
}
