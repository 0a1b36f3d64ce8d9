import ArgumentParser

/// `espalierctl applications list`: lists a tenant's applications.
struct ListApplications: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's applications, newest first.",
        discussion: """
            EXAMPLES
              espalierctl applications list --tenant acme
              espalierctl applications list --tenant acme --all --json \\
                | jq -r '.data[].id'
            """)
    static let view: View? = .application

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/applications")
    }
}
