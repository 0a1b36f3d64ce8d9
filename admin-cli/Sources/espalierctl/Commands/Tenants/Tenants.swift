import ArgumentParser

/// `espalierctl tenants`: who may sign users in.
struct Tenants: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Creates tenants, and looks after them.",
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
        .init("Session at most (s)", "session_seconds").detail.optional,
        .init("Idle session at most (s)", "idle_seconds").detail.optional,
        .init("Deleted profiles kept (d)", "profile_retention_days").detail.optional,
        .init("Signing keys sign (d)", "signing_key_days").detail.optional,
        .init("Gone after", "purge_after").detail.optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail)
}
