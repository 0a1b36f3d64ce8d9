import ArgumentParser

/// `espalierctl signing-keys list`: lists the signing keys of a tenant.
struct ListSigningKeys: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's signing keys (its JWKS) and their states.",
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
