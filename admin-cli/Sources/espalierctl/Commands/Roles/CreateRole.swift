import ArgumentParser

/// `espalierctl roles create`: defines a role.
struct CreateRole: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Defines a role of a tenant.",
        discussion: """
            You need all scopes of the role. `espalierctl api-keys issue --help` lists the scopes.

            EXAMPLES
              espalierctl roles create --tenant acme --name "Support desk" \\
                --scope users:read --scope sessions:read
            """)
    static let view: View? = .role

    @Option(help: "The display name.")
    var name: String

    @Option(
        name: .customLong("scope"), help: ArgumentHelp("A scope of the role. Repeat the option for several scopes.", valueName: "scope"),
        completion: .list(APIKeyScope.all))
    var scopes: [String]

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/roles", ["name": JSON(name), "scopes": JSON(scopes)])
    }

    func advice(for failure: Failure) -> Failure {
        APIKeyScope.advice(for: failure, scopes: scopes)
    }
}
