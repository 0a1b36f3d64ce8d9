import ArgumentParser
import Foundation

/// `espalierctl usage show`: shows a tenant's logins and silent sign-ins, in total and by day or window.
struct ShowUsage: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's logins and silent sign-ins, in total and by day or window.",
        discussion: """
            Days and months are in UTC. With --window, each minute, hour, day or month with sign-ins is a line with its number of different \
            users of logins. --group-by splits the lines further. A silent sign-in (single sign-on) is not a login, and has a column of its \
            own if there is one. With --window, --from and --to must be the start of a window. The range is at most one day for minutes and \
            one week for hours. Requires an API key with the scope usage:read. For all tenants, use espalierctl usage list.

            EXAMPLES
              espalierctl usage show --tenant acme
              espalierctl usage show --tenant acme --from 2026-11-01 --to 2026-12-01
              espalierctl usage show --tenant acme --window month \\
                --group-by application --group-by connection
              espalierctl usage show --tenant acme --window hour --connection own \\
                --from 2026-11-21 --to 2026-11-22
              espalierctl usage show --tenant acme --window day --kind silent_login
              espalierctl usage show --tenant acme --json | jq .logins
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var span: UsageSpan

    @Option(help: "The length of a window. By default, the command counts by day.")
    var window: UsageWindow?

    @Option(help: "The property that splits each window. Repeat the option for several.")
    var groupBy: [UsageGroup] = []

    @Option(help: ArgumentHelp("Counts only logins to this application.", valueName: "id"))
    var application: Reference?

    @Option(help: "Counts only logins through the tenant's own connection, or through the shared one.")
    var connection: UsageConnection?

    @Option(help: "Counts only events of this kind.")
    var kind: UsageKind?

    @OptionGroup var options: ReadOptions

    func validate() throws {
        guard window == nil else { return }
        for (name, isGiven) in [
            ("--group-by", !groupBy.isEmpty), ("--application", application != nil), ("--connection", connection != nil),
            ("--kind", kind != nil),
        ] where isGiven {
            throw ValidationError("\(name) needs --window. Pass --window minute, hour, day or month.")
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
        let (silent, hasSilent) = (usage["silent_logins"], usage["silent_logins"]?.integer ?? 0 > 0)
        let head =
            "\(from.text) to \(to.text)\(users)".printable + "\n\n"
            + (Terminal.standardOutput.width.map { Self.sparkline(usage, every: window, width: $0) } ?? "")
        if window != nil {
            guard let windows = usage["windows"]?.elements else { throw Failure.shape() }
            return head
                + (try View.usageWindow(by: groupBy, withSilent: hasSilent)
                    .table(of: windows + [.object(["from": "Total", "logins": logins, "silent_logins": silent ?? .null])]))
        }
        guard let days = usage["days"]?.elements else { throw Failure.shape() }
        return head
            + (try View.usageDay(withSilent: hasSilent)
                .table(of: days + [.object(["date": "Total", "logins": logins, "silent_logins": silent ?? .null])]))
    }

    /// The logins over the range as bars, with the largest number. Empty if the response has no logins.
    /// - Parameter now: the bars end here, because the rest of the range has no logins yet.
    static func sparkline(_ usage: JSON, every window: UsageWindow?, width: Int, now: Date = .now) -> String {
        let counted = window == nil ? usage["days"]?.elements : usage["windows"]?.elements
        let window = window ?? .day
        guard let counted, let from = usage["from"]?.string, let to = usage["to"]?.string,
            let starts = Sparkline.starts(from: from, to: min(to, now.formatted(.iso8601)), every: window)
        else { return "" }
        var logins: [String: Int] = [:]
        for element in counted {
            guard let start = (element["from"] ?? element["date"])?.string, let count = element["logins"]?.integer else { continue }
            // Groups split a window into several elements. A day has only a date.
            logins[start.utf8.count == 10 ? "\(start)T00:00:00Z" : start, default: 0] += count
        }
        let line = Sparkline(starts.map { logins[$0] ?? 0 }, width: min(width, 60))
        guard let most = line.values.max(), most > 0 else { return "" }
        let span = espalierctl.counted(String(line.windowsPerBar), window.rawValue)
        return "\(line.text)\nEach bar is \(span). The highest is \(espalierctl.counted(String(most), "login")).\n\n"
    }

    func note(_ usage: JSON) -> String? {
        usage["complete_until"].map { "Complete up to \($0.text)." }
    }
}

/// The options for the range of usage.
struct UsageSpan: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The start time (inclusive): 2026-11-01 or 2026-11-01T00:00:00Z. By default, the server chooses.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The end time (exclusive), in the same form.", valueName: "time"))
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
    case silentLogin = "silent_login"
}
