import ArgumentParser

/// `espalierctl domains show`: shows a domain.
struct ShowDomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a domain, with the values for its proof and for Apple's portal.",
        discussion: """
            EXAMPLES
              espalierctl domains show domain_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .domain

    @Argument(help: ArgumentHelp("The domain's ID.", valueName: "id"))
    var domain: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/domains/\(domain.text)")
    }
}
