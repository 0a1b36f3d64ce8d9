import ArgumentParser

/// `espalierctl usage show`: a tenant's billable logins, in total and by day, or by what is asked for.
struct ShowUsage: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's billable logins, in total and by day, or by window.",
        discussion: """
            Days and months are UTC. With --window each minute, hour, day or month that had logins is a line, with how many different users \
            signed in; --group-by tells lines apart further. --from and --to are the first moment of a window then: at most a day of minutes, \
            and a week of hours. Needs an API key that may read the tenant's usage. What all tenants have used says espalierctl usage list.

            EXAMPLES
              espalierctl usage show --tenant acme
              espalierctl usage show --tenant acme --from 2026-11-01 --to 2026-12-01
              espalierctl usage show --tenant acme --window month \\
                --group-by application --group-by connection
              espalierctl usage show --tenant acme --window hour --connection own \\
                --from 2026-11-21 --to 2026-11-22
              espalierctl usage show --tenant acme --json | jq .logins
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var span: UsageSpan

    @Option(help: "What is counted by.")
    var window: UsageWindow?

    @Option(help: "What windows are told apart by; may be repeated.")
    var groupBy: [UsageGroup] = []

    @Option(help: ArgumentHelp("Only logins to this application.", valueName: "id"))
    var application: Reference?

    @Option(help: "Only logins that the tenant's own connection served, or the shared one.")
    var connection: UsageConnection?

    @Option(help: "Only events of this kind.")
    var kind: UsageKind?

    @OptionGroup var options: ReadOptions

    func validate() throws {
        guard window == nil else { return }
        for (name, isGiven) in [
            ("--group-by", !groupBy.isEmpty), ("--application", application != nil), ("--connection", connection != nil),
            ("--kind", kind != nil),
        ] where isGiven {
            throw ValidationError("\(name) needs --window: say what is to be counted by.")
        }
    }

    func call(_ session: Session) throws -> Call {
        .get(
            "\(try session.path(tenant))/usage",
            [
                "from": span.from?.text, "to": span.to?.text, "window": window?.rawValue,
                "group_by": groupBy.isEmpty ? nil : groupBy.map(\.rawValue).joined(separator: ","), "application_id": application?.text,
                "connection": connection?.rawValue, "kind": kind?.rawValue,
            ])
    }

    func describe(_ usage: JSON) throws -> String {
        guard let from = usage["from"], let to = usage["to"], let logins = usage["logins"] else { throw Failure.shape() }
        let users = usage["users"].map { ", \(counted($0.text, "different user"))" } ?? ""
        let head = "\(from.text) to \(to.text)\(users)".printable + "\n\n"
        if window != nil {
            guard let windows = usage["windows"]?.elements else { throw Failure.shape() }
            return head + (try View.usageWindow(by: groupBy).table(of: windows + [.object(["from": "Total", "logins": logins])]))
        }
        guard let days = usage["days"]?.elements else { throw Failure.shape() }
        return head + (try View.usageDay.table(of: days + [.object(["date": "Total", "logins": logins])]))
    }

    func note(_ usage: JSON) -> String? {
        usage["complete_until"].map { "Complete up to \($0.text)." }
    }
}

/// From when to when usage is counted.
struct UsageSpan: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The first moment to count, as 2026-11-01 or 2026-11-01T00:00:00Z. Without it the server chooses.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The moment to stop before, in the same form.", valueName: "time"))
    var to: Instant?
}

enum UsageWindow: String, CaseIterable, ExpressibleByArgument {
    case minute, hour, day, month
}

enum UsageGroup: String, CaseIterable, ExpressibleByArgument {
    case application, connection, kind
}

enum UsageConnection: String, CaseIterable, ExpressibleByArgument {
    case own, shared
}

enum UsageKind: String, CaseIterable, ExpressibleByArgument {
    case login
}
