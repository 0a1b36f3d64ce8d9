import ArgumentParser

/// `espalierctl whoami`: shows the caller of the API.
struct WhoAmI: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Shows who you are for the server: a person or an API key, the role and the scopes.",
        discussion: """
            With several memberships, pass --tenant to see the role in one of them. An operator sees its running support access there.

            EXAMPLES
              espalierctl whoami
              espalierctl whoami --tenant acme --jq .role
            """)
    static let view: View? = View(
        .init("Actor", "actor"),
        .init("Name", "name").optional,
        .init("Email", "email").optional,
        .init("Tenant", "tenant").optional,
        .init("Role", "role").optional,
        .init("Operator", "is_operator").optional,
        .init("Scopes", "scopes").optional,
        .init("Session", "session.id").optional,
        .init("Signed in", "session.authenticated_at").optional,
        .init("Expires", "session.expires_at").optional,
        .init("Support", "support_access.id").optional,
        .init("Support ends", "support_access.ends_at").optional,
        sections: [
            .init(
                title: "Memberships", path: "memberships",
                view: View(
                    .init("Tenant", "tenant").optional, .init("Role", "role").optional, .init("Tenant ID", "tenant_id").optional))
        ])

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        var call = Call.get("caller")
        call.tenant = tenant.tenant?.text
        return call
    }
}
