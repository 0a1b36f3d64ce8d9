import ArgumentParser

/// `espalierctl apis update`: changes an API.
struct UpdateAPI: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes an API, or the applications that may request its access tokens.",
        discussion: """
            Properties without an option do not change. A list replaces the old list. An empty element ('') clears the list.

            EXAMPLES
              espalierctl apis update api_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --scope orders:read --scope orders:write
              espalierctl apis update api_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --application app_01jd8x3v6qf9wr2m5tzk7h4c0n=orders:read
            """)
    static let view: View? = .api
    static let flags = APIProperties.flags

    @Argument(help: ArgumentHelp("The API's ID.", valueName: "id"))
    var api: Reference

    @Option(help: ArgumentHelp("The display name.", valueName: "text"))
    var name: String?

    @OptionGroup var properties: APIProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard name != nil || properties.members.values.contains(where: { $0 != nil }) else {
            throw ValidationError("Pass --name, --scope, --access-token-lifetime or --application.")
        }
    }

    func call(_ session: Session) throws -> Call {
        var members = properties.members
        members["name"] = JSON(name)
        let path = "\(try session.path(tenant))/apis/\(api.text)"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }
}
