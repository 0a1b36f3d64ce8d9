import ArgumentParser

/// `espalierctl domains delete`: deletes a domain.
struct DeleteDomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a domain. The host no longer serves the tenant.",
        discussion: """
            Tokens with the issuer of the host become invalid. If the domain was exclusive, the tenant's address below the server's \
            public URL is on again. First move the notification URL at Apple back to the address below the public URL. After the \
            deletion, remove the DNS records. The host responds with 404 for a year.

            EXAMPLES
              espalierctl domains delete domain_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl domains delete domain_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The domain's ID.", valueName: "id"))
    var domain: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/domains/\(domain.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the domain \(domain.text). The tokens of its issuer become invalid, and its sign-ins fail",
            word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(domain.text)."
    }
}
