import ArgumentParser

/// `espalierctl statements show`: shows the statement of a closed month by line.
struct ShowStatement: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the statement of a closed month by line.",
        discussion: """
            EXAMPLES
              espalierctl statements show 2026-11 --tenant acme
              espalierctl statements show 2026-11 --tenant acme --json | jq .lines
            """)
    static let view: View? = .statement

    @Argument(help: ArgumentHelp("The month, or the statement's ID.", valueName: "month"))
    var statement: StatementName

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func validate() throws {
        if statement.isUpcoming { throw ValidationError("For the current month, use `espalierctl statements upcoming`.") }
    }

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/statements/\(statement.text)")
    }

    func advice(for failure: Failure) -> Failure { statement.advice(for: failure, tenant.repeated) }

    func describe(_ statement: JSON) throws -> String {
        try View.statement.details(of: statement.withTotal)
    }
}
