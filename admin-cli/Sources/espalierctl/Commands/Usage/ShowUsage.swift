import ArgumentParser

/// `espalierctl usage show`: a tenant's billable logins, in total and by day.
struct ShowUsage: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's billable logins, in total and by day.",
        discussion: """
            Days and months are UTC. Needs an API key that may read the tenant's usage.

            EXAMPLES
              espalierctl usage show --tenant acme
              espalierctl usage show --tenant acme --from 2026-11-01 --to 2026-12-01
              espalierctl usage show --tenant acme --json | jq .logins
            """)

    @OptionGroup var tenant: TenantOption

    @Option(
        help: ArgumentHelp(
            "The first moment to count, as 2026-11-01 or 2026-11-01T00:00:00Z. Without it the server chooses.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The moment to stop before, in the same form.", valueName: "time"))
    var to: Instant?

    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/usage", ["from": from?.text, "to": to?.text])
    }

    func describe(_ usage: JSON) throws -> String {
        guard let from = usage["from"], let to = usage["to"], let logins = usage["logins"], let days = usage["days"]?.elements
        else { throw Failure.shape() }
        let total = JSON.object(["date": "Total", "logins": logins])
        return "\(from.text) to \(to.text)".printable + "\n\n" + (try View.usageDay.table(of: days + [total]))
    }
}
