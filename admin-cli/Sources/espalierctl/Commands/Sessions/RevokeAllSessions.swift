import ArgumentParser

/// `espalierctl sessions revoke-all`: revokes all sessions of a tenant.
struct RevokeAllSessions: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-all",
        abstract: "Revokes all sessions of a tenant.",
        discussion: """
            All users must sign in again.

            EXAMPLES
              espalierctl sessions revoke-all --tenant acme
              espalierctl sessions revoke-all --tenant acme --confirm=acme --no-input
            """)
    static let view: View? = .revocation

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/sessions/revoke").destroying(
            "signs out all users of the tenant \(try session.tenant(tenant.tenant))", word: try session.word(tenant.tenant), isSent: true)
    }
}
