import ArgumentParser

/// `espalierctl tenants`: manages the tenants of the platform.
struct Tenants: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages tenants.",
        subcommands: [
            CreateTenant.self, ListTenants.self, ShowTenant.self, UpdateTenant.self, SuspendTenant.self, ResumeTenant.self,
            DeleteTenant.self, RestoreTenant.self, OnboardTenant.self,
        ])
}

extension View {
    static let tenant = View(
        .init("ID", "id"),
        .init("Slug", "slug"),
        .init("Name", "name"),
        .init("Plan", "plan"),
        .init("Status", "status"),
        .init("Issuer", "issuer").detail,
        .init("Own connection", "connection_id").detail.optional,
        .init("Maximum session (s)", "session_seconds").detail.optional,
        .init("Maximum idle session (s)", "idle_seconds").detail.optional,
        .init("Deleted profile retention (d)", "profile_retention_days").detail.optional,
        .init("Signing key period (d)", "signing_key_days").detail.optional,
        .init("Single sign-on", "single_sign_on").detail.optional,
        .init("Maximum browser session (s)", "browser_session_seconds").detail.optional,
        .init("Maximum idle browser session (s)", "browser_idle_seconds").detail.optional,
        .init("Sign-in page", "sign_in_page").detail.optional,
        .init("Account linking", "account_linking").detail.optional,
        .init("Allows support", "allows_support").detail.optional,
        .init("Purged after", "purge_after").detail.optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail,
        expendable: ["Created", "ID"])
}
