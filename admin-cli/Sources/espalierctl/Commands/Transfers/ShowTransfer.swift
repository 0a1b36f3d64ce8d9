import ArgumentParser

/// `espalierctl connections transfer show`: how one transfer stands, and what comes next.
struct ShowTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one transfer, with how many users are where, and what comes next.",
        discussion: """
            EXAMPLES
              espalierctl connections transfer show --tenant acme
              espalierctl connections transfer show --tenant acme --json
            """)
    static let view: View? = .transfer

    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) async throws -> Call {
        .get(try await session.path(transfer))
    }

    func note(_ shown: JSON) -> String? {
        guard !options.json, let status = shown["status"]?.string else { return nil }
        func run(_ step: String) -> String { "espalierctl connections transfer \(step)\(transfer.again)" }
        func users(_ state: String) -> Int { shown["users.\(state)"]?.integer ?? 0 }
        let end = "\(run("report --all")), then \(run("close"))."
        switch status {
        case "open" where users("pending") > 0: return "Next: \(run("collect"))"
        case "open" where users("collected") > 0 && shown["closes_at"]?.string == nil:
            let team = shown["to_team_id"]?.string ?? "the new team"
            return "Next: have Apple transfer the app, activate a connection to \(team), then \(run("exchange"))"
        case "open" where users("collected") > 0: return "Next: \(run("exchange"))"
        case "open": return "Next: \(end)"
        case "over": return "Apple's 60 days have passed. Next: \(end)"
        case "closing": return CloseTransfer.goesOn
        default: return nil
        }
    }
}
