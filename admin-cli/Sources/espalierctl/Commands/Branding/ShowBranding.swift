import ArgumentParser

/// `espalierctl branding show`: shows a tenant's branding.
struct ShowBranding: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the look of a tenant's pages.",
        discussion: """
            EXAMPLES
              espalierctl branding show --tenant acme
              espalierctl branding show --tenant acme --json | jq -r .logo.url
            """)
    static let view: View? = .branding

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/branding")
    }

    func note(_ branding: JSON) -> String? { branding.warnings }
}
