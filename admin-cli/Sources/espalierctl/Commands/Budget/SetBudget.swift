import ArgumentParser

/// `espalierctl budget set`: sets a monthly budget in logins or money.
struct SetBudget: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets a tenant's monthly budget, in logins or in money.",
        discussion: """
            The new budget replaces the existing one. Usage earlier in the month counts. A budget in money is compared with the total of \
            the upcoming statement in this currency, including fees.

            EXAMPLES
              espalierctl budget set --logins 100000 --tenant acme
              espalierctl budget set --amount 500.00 --currency USD --tenant acme
              espalierctl budget set --amount 500.00 --currency USD --hard --tenant acme
            """)
    static let view: View? = .budget
    static let flags = ["amount_micros": "--amount"]

    @Option(help: ArgumentHelp("The budget in logins per month, 1 to 1000000000.", valueName: "count"))
    var logins: Int?

    @Option(help: ArgumentHelp("The budget in money per month, such as 500.00. Requires --currency.", valueName: "amount"))
    var amount: Micros?

    @Option(help: ArgumentHelp("The currency of --amount, as an ISO 4217 code such as USD.", valueName: "code"))
    var currency: String?

    @Flag(help: "Rejects logins until the end of the month when the budget is used up.")
    var hard = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard (logins == nil) != (amount == nil) else { throw ValidationError("Pass --logins, or --amount and --currency.") }
        guard (amount == nil) == (currency == nil) else { throw ValidationError("Pass --amount and --currency together.") }
        if let logins, !(1...1_000_000_000).contains(logins) { throw ValidationError("--logins takes 1 to 1000000000.") }
        if let amount, amount.count == 0 { throw ValidationError("--amount must be greater than 0.") }
    }

    func call(_ session: Session) throws -> Call {
        .put(
            "\(try session.path(tenant))/budget",
            ["logins": JSON(logins), "amount_micros": JSON(amount?.count), "currency": JSON(currency), "hard": .bool(hard)]
        ).ifUnchanged(nil, match.ifMatch)
    }

    func describe(_ budget: JSON) throws -> String {
        try View.budget.details(of: budget.asBudget)
    }
}
