import ArgumentParser

/// `espalierctl tenants list`: the tenants of the platform.
struct ListTenants: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists tenants, the newest first.",
        discussion: """
            Operators only. Those whose data is gone are shown when asked for: --status purged.

            EXAMPLES
              espalierctl tenants list
              espalierctl tenants list --plan enterprise --status suspended
              espalierctl tenants list --all --json | jq -r '.data[].slug'
            """)
    static let view: View? = .tenant

    @Option(help: "Only those in this state.")
    var status: TenantStatus?

    @Option(help: "Only those on this plan.")
    var plan: Plan?

    @Option(help: "Only the one with this slug.")
    var slug: String?

    @OptionGroup var options: ListOptions

    func call(_ session: Session) -> Call {
        .get("tenants", ["status": status?.rawValue, "plan": plan?.rawValue, "slug": slug])
    }
}
