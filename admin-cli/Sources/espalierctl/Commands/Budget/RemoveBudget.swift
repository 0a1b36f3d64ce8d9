import ArgumentParser

/// `espalierctl budget remove`: removes a tenant's budget.
struct RemoveBudget: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a tenant's budget. Its webhook messages and login rejections end.",
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
        "Removed the budget."
    }
}
