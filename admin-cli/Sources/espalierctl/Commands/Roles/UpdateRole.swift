import ArgumentParser

/// `espalierctl roles update`: changes the name or the scopes of a role.
struct UpdateRole: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes the name or the scopes of a role, for all members who have it.",
        discussion: """
            Properties without an option do not change. New scopes replace the old ones.

            EXAMPLES
              espalierctl roles update role_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --scope users:read
            """)
    static let view: View? = .role

    @Argument(help: ArgumentHelp("The role's ID.", valueName: "id"))
    var role: Reference

    @Option(help: "The display name.")
    var name: String?

    @Option(
        name: .customLong("scope"), help: ArgumentHelp("A scope of the role. Repeat the option for several scopes.", valueName: "scope"),
        completion: .list(APIKeyScope.all))
    var scopes: [String] = []

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if name == nil, scopes.isEmpty { throw ValidationError("Pass --name or --scope.") }
    }

    func call(_ session: Session) throws -> Call {
        .patch("\(try session.path(tenant))/roles/\(role.text)", ["name": JSON(name), "scopes": JSON(scopes)]).ifUnchanged(
            nil, match.ifMatch)
    }

    func advice(for failure: Failure) -> Failure {
        APIKeyScope.advice(for: failure, scopes: scopes)
    }
}
