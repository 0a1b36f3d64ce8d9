import ArgumentParser

/// `espalierctl applications`: manages a tenant's applications (OAuth clients).
struct Applications: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages a tenant's applications and their client secrets.",
        subcommands: [
            RegisterApplication.self, ListApplications.self, ShowApplication.self, UpdateApplication.self, DeleteApplication.self,
            TestLogin.self, ApplicationSecrets.self, ApplicationRegistration.self,
        ])
}

extension View {
    static let application = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Kind", "kind"),
        .init("Redirect URIs", "redirect_uris"),
        .init("Logout URIs", "logout_uris").detail,
        .init("Back-channel logout", "backchannel_logout_uri").detail.optional,
        .init("Front-channel logout", "frontchannel_logout_uri").detail.optional,
        .init("Front-channel session", "frontchannel_logout_session_required").detail,
        .init("Login URL", "login_url").detail.optional,
        .init("Bundle IDs", "bundle_ids").detail,
        .init("Requires PKCE", "requires_pkce").detail,
        .init("Requires offline_access", "requires_offline_access").detail,
        .init("Development URIs", "allows_development_uris").detail,
        .init("Tokens in URL", "returns_tokens_in_url").detail,
        .init("Requires pushed requests", "requires_pushed_requests").detail,
        .init("Requires DPoP", "requires_dpop").detail,
        .init("Device grant", "allows_device_grant").detail,
        .init("Third party", "is_third_party").detail,
        .init("Sign-in page", "sign_in_page").detail.optional,
        .init("Name required", "requires_name").detail,
        .init("Authentication", "token_endpoint_auth_method").detail,
        .init("Public keys", "jwks.keys").detail.optional,
        .init("Public keys at", "jwks_uri").detail.optional,
        .init("Access token (s)", "access_token_seconds").detail,
        .init("Session (s)", "session_seconds").detail,
        .init("Idle session (s)", "idle_seconds").detail,
        .init("Signing algorithm", "signing_algorithm").detail,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail,
        .init("Client secret", "client_secret").detail.optional)
}
