import ArgumentParser

/// `espalierctl applications registration`: manages the registration of an application that registered itself.
struct ApplicationRegistration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration",
        abstract: "Shows or ends the registration of an application that registered itself.",
        subcommands: [ShowApplicationRegistration.self, EndApplicationRegistration.self])
}

extension View {
    static let applicationRegistration = View(
        .init("ID", "id"),
        .init("Initial access token", "initial_access_token_id"),
        .init("Page", "client_uri").optional,
        .init("Logo", "logo_uri").optional,
        .init("Terms of service", "tos_uri").optional,
        .init("Privacy policy", "policy_uri").optional,
        .init("Software", "software_id").optional,
        .init("Software version", "software_version").optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at"))
}
