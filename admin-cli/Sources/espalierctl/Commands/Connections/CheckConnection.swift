import ArgumentParser

/// `espalierctl connections check`: the doctor.
struct CheckConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a connection at Apple, step by step, and says which field is wrong.",
        discussion: """
            Nobody signs in and nothing changes. Ends with 1 unless all passed.

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
        try CheckReport(json: check).text(isColoured: Terminal.standardOutput.isColoured)
    }

    func verdict(_ check: JSON) -> Failure? {
        CheckReport(json: check).failure
    }
}
