import ArgumentParser

/// `espalierctl budget show`: shows a tenant's budget and its usage in the current month.
struct ShowBudget: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's budget and its usage in the current month.",
        discussion: """
            EXAMPLES
              espalierctl budget show --tenant acme
              espalierctl budget show --tenant acme --json | jq .current.percent
            """)
    static let view: View? = .budget

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/budget")
    }

    func describe(_ budget: JSON) throws -> String {
        try View.budget.details(of: budget.asBudget)
    }
}
