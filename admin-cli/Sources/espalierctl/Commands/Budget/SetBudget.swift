import ArgumentParser

/// `espalierctl budget set`: so many logins a month, or so much money.
struct SetBudget: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets how many logins a month a tenant means to pay for, or how much money.",
        discussion: """
            It takes the place of one that is there. What the month has used already counts. Of money that is what the upcoming statement \
            comes to in this currency, with its fees.

            EXAMPLES
              espalierctl budget set --logins 100000 --tenant acme
              espalierctl budget set --amount 500.00 --currency USD --tenant acme
              espalierctl budget set --amount 500.00 --currency USD --hard --tenant acme
            """)
    static let view: View? = .budget
    static let flags = ["amount_micros": "--amount"]

    @Option(help: ArgumentHelp("How many logins a month, 1 to 1000000000.", valueName: "count"))
    var logins: Int?

    @Option(help: ArgumentHelp("How much money a month.", valueName: "amount"))
    var amount: Micros?

    @Option(help: ArgumentHelp("The amount's currency, in ISO 4217.", valueName: "code"))
    var currency: String?

    @Flag(help: "Refuses logins to the end of the month when it is used up.")
    var hard = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard (logins == nil) != (amount == nil) else { throw ValidationError("Pass --logins, or --amount and --currency.") }
        guard (amount == nil) == (currency == nil) else { throw ValidationError("--amount and --currency go together.") }
        if let logins, !(1...1_000_000_000).contains(logins) { throw ValidationError("--logins takes 1 to 1000000000.") }
        if let amount, amount.count == 0 { throw ValidationError("--amount takes more than 0.") }
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
