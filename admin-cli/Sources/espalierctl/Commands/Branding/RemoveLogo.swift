import ArgumentParser

/// `espalierctl branding remove-logo`: removes a tenant's logo.
struct RemoveLogo: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-logo",
        abstract: "Removes the logo of a tenant's pages. They show the name instead.",
        discussion: """
            EXAMPLES
              espalierctl branding remove-logo --tenant acme
              espalierctl branding remove-logo --tenant acme --confirm=acme --no-input
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/branding/logo").ifUnchanged(nil, match.ifMatch).destroying(
            "removes the tenant's logo", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Removed the logo."
    }
}
