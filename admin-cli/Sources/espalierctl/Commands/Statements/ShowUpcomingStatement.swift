import ArgumentParser

/// `espalierctl statements upcoming`: shows the charges so far of a month that is not closed.
struct ShowUpcomingStatement: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "upcoming",
        abstract: "Shows the month's charges so far by line.",
        discussion: """
            The charges use the logins so far and the current prices. Fees are for the whole month. The charges can change until the month \
            is closed. For a page, use espalierctl statements print upcoming.

            EXAMPLES
              espalierctl statements upcoming --tenant acme
              espalierctl statements upcoming --tenant acme --json | jq -r .totals[].amount
              espalierctl statements print upcoming --tenant acme > so-far.html
            """)

    @Option(
        help: ArgumentHelp(
            "A month that has started and is not closed, such as 2026-11. By default, the current month.", valueName: "month"))
    var period: Month?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/statements/upcoming", ["period": period?.text])
    }

    func describe(_ statement: JSON) throws -> String {
        try View.upcomingStatement.details(of: statement.withTotal)
    }
}
