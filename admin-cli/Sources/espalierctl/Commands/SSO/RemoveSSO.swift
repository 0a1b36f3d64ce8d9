import ArgumentParser

/// `espalierctl sso remove`: deletes the provider.
struct RemoveSSO: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Deletes the provider with which a tenant's members sign in. The domains remain.",
        discussion: """
            Members then sign in with their password or passkey. A person without one uses the recovery by mail.

            EXAMPLES
              espalierctl sso remove --tenant acme
              espalierctl sso remove --tenant acme --confirm=acme --no-input
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/sso").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the provider of the members of \(try session.tenant(tenant.tenant))", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted the provider."
    }
}
