import ArgumentParser

/// `espalierctl apis create`: creates an API.
struct CreateAPI: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates an API. Applications request its access tokens with its audience (resource).",
        discussion: """
            EXAMPLES
              espalierctl apis create https://orders.example.com --tenant acme \\
                --name "Orders API" --scope orders:read --scope orders:write
              espalierctl apis create https://orders.example.com --tenant acme \\
                --name "Orders API" --scope orders:read \\
                --application app_01jd8x3v6qf9wr2m5tzk7h4c0n=orders:read
            """)
    static let view: View? = .api
    static let flags = APIProperties.flags

    @Argument(help: "The audience of the API's access tokens. It is an absolute URI, and it never changes.")
    var audience: String

    @Option(help: ArgumentHelp("The display name.", valueName: "text"))
    var name: String

    @OptionGroup var properties: APIProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/apis", ["name": JSON(name), "audience": JSON(audience)].merging(properties.members) { $1 })
    }
}
