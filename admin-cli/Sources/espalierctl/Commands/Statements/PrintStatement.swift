import ArgumentParser

/// `espalierctl statements print`: writes the statement of a month as a printable page.
struct PrintStatement: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Writes the statement of a month as a printable HTML page.",
        discussion: """
            The page loads no other files. Save the file, or open it in a browser and print it.

            EXAMPLES
              espalierctl statements print 2026-11 --tenant acme >2026-11.html
              espalierctl statements print upcoming --tenant acme >so-far.html
            """)

    @Argument(help: ArgumentHelp("The month, the statement's ID, or upcoming for the current month.", valueName: "month"))
    var statement: StatementName

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: PageOutputOptions

    func run() async throws {
        let session = try Session(options)
        let (client, call) = (try session.client(), Call.get("\(try session.path(tenant))/statements/\(statement.text)/page"))
        let page: String
        do { page = try await client.page(call) } catch { throw statement.advice(for: error, tenant.repeated) }
        try Terminal.standardOutput.write(page)
    }
}

/// The options of a command that prints only a page.
struct PageOutputOptions: CommandOptions {
    @OptionGroup var server: ServerOptions

    var json: Bool { false }
}
