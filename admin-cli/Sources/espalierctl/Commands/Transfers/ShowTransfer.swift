import ArgumentParser

/// `espalierctl connections transfer show`: shows the state of a transfer and the next step.
struct ShowTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a transfer with the number of users in each state, and the next step.",
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
        func run(_ step: String) -> String { "espalierctl connections transfer \(step)\(transfer.repeated)" }
        func users(_ state: String) -> Int { shown["users.\(state)"]?.integer ?? 0 }
        let end = "\(run("report --all")), then \(run("close"))."
        switch status {
        case "open" where users("pending") > 0: return "Next: \(run("collect"))"
        case "open" where users("collected") > 0 && shown["closes_at"]?.string == nil:
            let team = shown["to_team_id"]?.string ?? "the new team"
            return "Next: transfer the app at Apple, activate a connection to \(team), then \(run("exchange"))"
        case "open" where users("collected") > 0: return "Next: \(run("exchange"))"
        case "open": return "Next: \(end)"
        case "over": return "Apple's 60 days have passed. Next: \(end)"
        case "closing": return CloseTransfer.closingNote
        default: return nil
        }
    }
}
