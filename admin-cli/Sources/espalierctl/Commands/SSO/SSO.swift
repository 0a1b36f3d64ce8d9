import ArgumentParser

/// `espalierctl sso`: manages the provider with which a tenant's members sign in.
struct SSO: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sso",
        abstract: "Manages the company's own provider, with which a tenant's members sign in.",
        discussion: """
            Register a confidential web application at the provider, with the redirect URI of the server: its public URL, followed by \
            /account/sso/callback. Then set the provider, prove the domain of the members' addresses, and sign in.
            """,
        subcommands: [ShowSSO.self, SetSSO.self, CheckSSO.self, RemoveSSO.self, SSODomains.self])
}

/// `espalierctl sso domains`: manages the domains of the members' addresses.
struct SSODomains: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domains",
        abstract: "Manages the domains of the addresses that lead to the provider.",
        subcommands: [CreateSSODomain.self, ListSSODomains.self, VerifySSODomain.self, DeleteSSODomain.self])
}

extension View {
    static let sso = View(
        .init("ID", "id"),
        .init("Issuer", "issuer"),
        .init("Client ID", "client_id"),
        .init("Redirect URI", "redirect_uri"),
        .init("Required", "is_required"),
        .init("Last sign-in", "signed_in_at").optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at"))

    static let ssoDomain = View(
        .init("ID", "id"),
        .init("Domain", "domain"),
        .init("State", "state"),
        .init("DNS record", "proof.name").detail,
        .init("DNS value (TXT)", "proof.value").detail,
        .init("Verified", "verified_at").detail.optional,
        .init("Checked", "checked_at").detail.optional,
        .init("Failing since", "failing_since").detail.optional,
        .init("Expires", "expires_at").detail.optional,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail)
}
