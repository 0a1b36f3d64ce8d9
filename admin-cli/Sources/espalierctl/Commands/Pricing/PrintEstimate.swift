import ArgumentParser

/// `espalierctl pricing print`: writes an estimate as a printable page.
struct PrintEstimate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Writes an estimate as a printable HTML page.",
        discussion: """
            The page contains the numbers of espalierctl pricing estimate. It loads no other files.

            EXAMPLES
              espalierctl pricing print --logins 250000 --plan scale > offer.html
              espalierctl pricing print --logins 250000 --tenant acme --on 2027-01-01 \\
                > offer.html
            """)

    @OptionGroup var question: EstimateOptions
    @OptionGroup var options: PageOutputOptions

    func run() async throws {
        let session = try Session(options)
        let call = Call.get(
            "pricing/estimate/page",
            [
                "logins": String(question.logins), "silent_logins": question.silentLogins.map(String.init),
                "plan": question.plan?.rawValue, "tenant": try question.tenantName(session),
                "on": question.on?.text,
            ])
        try Terminal.standardOutput.write(try await session.client().page(call))
    }
}
