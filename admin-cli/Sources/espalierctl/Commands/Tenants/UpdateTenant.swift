import ArgumentParser

/// `espalierctl tenants update`: another name or plan.
struct UpdateTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes a tenant's name or plan.",
        discussion: """
            What isn't given stays as it is. Only operators may change the plan.

            EXAMPLES
              espalierctl tenants update acme --plan enterprise
              espalierctl tenants update acme --name "Acme AG" --dry-run
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: Reference

    @Option(help: "What people call it.")
    var name: String?

    @Option(help: "What it pays for.")
    var plan: Plan?

    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard name != nil || plan != nil else { throw ValidationError("Say what to change: --name or --plan.") }
    }

    func call(_ session: Session) -> Call {
        let path = "tenants/\(tenant.text)"
        return .patch(path, ["name": JSON(name), "plan": JSON(plan)]).ifUnchanged(path, match.ifMatch)
    }
}
