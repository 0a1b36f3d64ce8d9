import ArgumentParser

/// `espalierctl statements show`: one closed month, by line.
struct ShowStatement: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what a month came to, by line.",
        discussion: """
            EXAMPLES
              espalierctl statements show 2026-11 --tenant acme
              espalierctl statements show 2026-11 --tenant acme --json | jq .lines
            """)
    static let view: View? = .statement

    @Argument(help: ArgumentHelp("The month, or the statement's id.", valueName: "month"))
    var statement: StatementName

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func validate() throws {
        if statement.isUpcoming { throw ValidationError("Use `espalierctl statements upcoming` for the month so far.") }
    }

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/statements/\(statement.text)")
    }

    func advice(for failure: Failure) -> Failure { statement.advice(for: failure, tenant.again) }

    func describe(_ statement: JSON) throws -> String {
        try View.statement.details(of: statement.withTotal)
    }
}
