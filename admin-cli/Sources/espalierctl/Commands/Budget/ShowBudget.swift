import ArgumentParser

/// `espalierctl budget show`: the budget, and how much of it the month has used.
struct ShowBudget: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's budget, and how much of it the current month has used.",
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
