import ArgumentParser

/// `espalierctl sso domains list`: lists the domains of addresses.
struct ListSSODomains: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the domains of the members' addresses, newest first.",
        discussion: """
            EXAMPLES
              espalierctl sso domains list --tenant acme
            """)
    static let view: View? = .ssoDomain

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/sso/domains")
    }
}
