import ArgumentParser

/// `espalierctl statements list`: lists a tenant's statements, or all tenants' statements of a month.
struct ListStatements: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the statements of closed months, newest first.",
        discussion: """
            With --platform, the list contains the statements of all tenants for one month. This requires an operator.

            EXAMPLES
              espalierctl statements list --tenant acme
              espalierctl statements list --platform --period 2026-11 --all --json
            """)
    static let view: View? = .statement

    @Option(help: ArgumentHelp("The month of all tenants' statements, such as 2026-11. Only with --platform.", valueName: "month"))
    var period: Month?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func validate() throws {
        if owner.platform != (period != nil) { throw ValidationError("Pass --platform and --period together, or neither.") }
    }

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/statements", ["period": period?.text])
    }

    func describe(_ answer: JSON) throws -> String {
        guard let elements = answer["data"]?.elements else { throw Failure.shape() }
        return elements.isEmpty ? "" : try View.statement.table(of: elements.map(\.withTotal))
    }
}
