import ArgumentParser

/// `espalierctl connections transfer report`: who moved, who did not, and why.
struct ReportTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Shows who moved, who did not, and why.",
        discussion: """
            EXAMPLES
              espalierctl connections transfer report --tenant acme
              espalierctl connections transfer report --tenant acme --state failed --all
              espalierctl connections transfer report --tenant acme --all --json \\
                | jq -r '.data[] | [.user_id, .state, .reason] | @csv'
            """)
    static let view: View? = .transferUser

    /// For people, what the reasons mean.
    private static let reasons = [
        "refused_by_apple": "Apple doesn't know the user any more, the consent is revoked, or the Team ID is wrong.",
        "signed_in_anew": "The person signed in under the new team too early, and is another user since.",
        "known_otherwise": "The user has another identity under the new team.",
    ]

    @Option(help: "Only those in this state.")
    var state: TransferUserState?

    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) async throws -> Call {
        .get("\(try await session.path(transfer))/users", ["state": state?.rawValue])
    }

    func note(_ report: JSON) -> String? {
        guard !options.json else { return nil }
        let seen = Set((report["data"]?.elements ?? []).compactMap { $0["reason"]?.string })
        let lines = Self.reasons.filter { seen.contains($0.key) }.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }
}
