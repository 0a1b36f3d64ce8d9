import ArgumentParser

/// `espalierctl statements print`: one closed month as a page for paper.
struct PrintStatement: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Writes a statement as an HTML page that can be printed.",
        discussion: """
            The page needs nothing from elsewhere: keep the file, or open it in a browser and print it.

            EXAMPLES
              espalierctl statements print 2026-11 --tenant acme >2026-11.html
              espalierctl statements print upcoming --tenant acme >so-far.html
            """)

    @Argument(help: ArgumentHelp("The month, the statement's id, or upcoming for the running month so far.", valueName: "month"))
    var statement: StatementName

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: PageOutputOptions

    func run() async throws {
        let session = try Session(options)
        let (client, call) = (try session.client(), Call.get("\(try session.path(tenant))/statements/\(statement.text)/page"))
        let page: String
        do { page = try await client.page(call) } catch { throw statement.advice(for: error, tenant.again) }
        try Terminal.standardOutput.write(page)
    }
}

/// Those of a command whose answer is a page and nothing else.
struct PageOutputOptions: CommandOptions {
    @OptionGroup var server: ServerOptions

    var json: Bool { false }
}
