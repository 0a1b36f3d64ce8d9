import ArgumentParser

/// `espalierctl api-keys list`: lists the API keys of a tenant or the platform.
struct ListAPIKeys: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists API keys with their last four characters.",
        discussion: """
            EXAMPLES
              espalierctl api-keys list --tenant acme
              espalierctl api-keys list --platform --all --json | jq -r '.data[].name'
            """)
    static let view: View? = .apiKey

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/api-keys")
    }
}
