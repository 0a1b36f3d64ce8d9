import ArgumentParser

/// `espalierctl sso domains delete`: deletes a domain of addresses.
struct DeleteSSODomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a domain. Its addresses no longer lead to the provider.",
        discussion: """
            Another tenant can then prove the domain.

            EXAMPLES
              espalierctl sso domains delete ssodomain_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
              espalierctl sso domains delete ssodomain_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The domain's ID.", valueName: "id"))
    var domain: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/sso/domains/\(domain.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the domain \(domain.text). Its addresses no longer lead to the provider", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(domain.text)."
    }
}
