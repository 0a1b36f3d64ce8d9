import ArgumentParser

/// `espalierctl connections check`: runs the doctor.
struct CheckConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a connection at Apple step by step, and names the invalid field.",
        discussion: """
            The check needs no sign-in and changes nothing. The exit code is 0 if all steps passed, and 1 otherwise.

            EXAMPLES
              espalierctl connections check --tenant acme
              espalierctl connections check --platform
              espalierctl connections check --tenant acme --json | jq -r '.steps[] \\
                | select(.outcome == "failed") | .detail'
            """)

    @OptionGroup var connection: ConnectionArgument
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) async throws -> Call {
        .post("\(try await connection.path(session))/check")
    }

    func describe(_ check: JSON) throws -> String {
        let report = try CheckReport(json: check).text(isColored: Terminal.standardOutput.isColored)
        guard let portal = check["apple_portal"] else { return report }
        return try "\(report)\nValues for Apple's portal\n\(View.applePortal.details(of: portal))" + View.ownHostsAtApple(portal)
    }

    func reportedFailure(_ check: JSON) -> Failure? {
        CheckReport(json: check).failure
    }
}
