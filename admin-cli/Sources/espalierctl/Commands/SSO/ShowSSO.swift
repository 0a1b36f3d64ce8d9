import ArgumentParser

/// `espalierctl sso show`: shows the provider.
struct ShowSSO: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the provider with which a tenant's members sign in.",
        discussion: """
            EXAMPLES
              espalierctl sso show --tenant acme
            """)
    static let view: View? = .sso

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/sso")
    }
}
