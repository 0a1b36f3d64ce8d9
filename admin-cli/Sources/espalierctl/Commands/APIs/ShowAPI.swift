import ArgumentParser

/// `espalierctl apis show`: shows an API.
struct ShowAPI: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an API and the applications that may request its access tokens.",
        discussion: """
            EXAMPLES
              espalierctl apis show api_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .api

    @Argument(help: ArgumentHelp("The API's ID.", valueName: "id"))
    var api: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/apis/\(api.text)")
    }
}
