import ArgumentParser

/// `espalierctl budget remove`: no budget any more.
struct RemoveBudget: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a tenant's budget: nothing is told any more, and no login refused for it.",
        discussion: """
            EXAMPLES
              espalierctl budget remove --tenant acme
              espalierctl budget remove --tenant acme --confirm=acme --no-input
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/budget").ifUnchanged(nil, match.ifMatch).destroying(
            "removes the tenant's budget", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Removed."
    }
}
