import ArgumentParser

/// `espalierctl connections transfer report`: lists the users of a transfer with their states.
struct ReportTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Lists moved and failed users, with the reason for each failure.",
        discussion: """
            EXAMPLES
              espalierctl connections transfer report --tenant acme
              espalierctl connections transfer report --tenant acme --state failed --all
              espalierctl connections transfer report --tenant acme --all --json \\
                | jq -r '.data[] | [.user_id, .state, .reason] | @csv'
            """)
    static let view: View? = .transferUser

    /// The explanations of the reasons.
    private static let reasons = [
        "refused_by_apple": "Apple no longer knows the user, the consent is revoked, or the Team ID is wrong.",
        "signed_in_anew": "The person signed in under the new team too early, and is another user now.",
        "known_otherwise": "The user has another identity under the new team.",
    ]

    @Option(help: "Shows only users in this state.")
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
