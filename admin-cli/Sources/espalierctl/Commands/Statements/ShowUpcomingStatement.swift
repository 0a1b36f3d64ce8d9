import ArgumentParser

/// `espalierctl statements upcoming`: what a month that isn't closed comes to so far.
struct ShowUpcomingStatement: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "upcoming",
        abstract: "Shows what the running month comes to so far, by line.",
        discussion: """
            By the logins up to now and the prices that hold; fees are those of the whole month. Nothing of it is settled before the month \
            is closed. As a page: espalierctl statements print upcoming.

            EXAMPLES
              espalierctl statements upcoming --tenant acme
              espalierctl statements upcoming --tenant acme --json | jq -r .totals[].amount
              espalierctl statements print upcoming --tenant acme > so-far.html
            """)

    @Option(help: ArgumentHelp("Another month that has begun and isn't closed.", valueName: "month"))
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
