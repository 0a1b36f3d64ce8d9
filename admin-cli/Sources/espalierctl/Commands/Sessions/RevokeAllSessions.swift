import ArgumentParser

/// `espalierctl sessions revoke-all`: every user of a tenant is signed out.
struct RevokeAllSessions: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-all",
        abstract: "Revokes every session of a tenant.",
        discussion: """
            Every user has to sign in again.

            EXAMPLES
              espalierctl sessions revoke-all --tenant acme
              espalierctl sessions revoke-all --tenant acme --confirm=acme --no-input
            """)
    static let view: View? = .revocation

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/sessions/revoke").destroying(
            "signs out every user of the tenant \(try session.tenant(tenant.tenant))", word: try session.word(tenant.tenant), isSent: true)
    }
}
