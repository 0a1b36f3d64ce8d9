import ArgumentParser

/// `espalierctl signing-keys list`: the keys of a tenant's JWKS.
struct ListSigningKeys: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the keys of a tenant's JWKS and their states.",
        discussion: """
            EXAMPLES
              espalierctl signing-keys list --tenant acme
            """)
    static let view: View? = .signingKey

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/signing-keys")
    }
}
