import ArgumentParser

/// `espalierctl tenants list`: lists the tenants of the platform.
struct ListTenants: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists tenants, newest first.",
        discussion: """
            Purged tenants appear only with --status purged. Their data is permanently deleted. Requires an operator.

            EXAMPLES
              espalierctl tenants list
              espalierctl tenants list --plan enterprise --status suspended
              espalierctl tenants list --all --json | jq -r '.data[].slug'
            """)
    static let view: View? = .tenant

    @Option(help: "Shows only tenants with this status.")
    var status: TenantStatus?

    @Option(help: "Shows only tenants on this plan.")
    var plan: Plan?

    @Option(help: "Shows only the tenant with this slug.")
    var slug: String?

    @OptionGroup var options: ListOptions

    func call(_ session: Session) -> Call {
        .get("tenants", ["status": status?.rawValue, "plan": plan?.rawValue, "slug": slug])
    }
}
