import ArgumentParser

/// `espalierctl notifications`: what Apple told of the users.
struct Notifications: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks at what Apple told of the users, and has it worked off once more.",
        subcommands: [ListNotifications.self, ShowNotification.self, ReplayNotification.self])
}

extension View {
    static let notification = View(
        .init("ID", "id"),
        .init("Type", "type"),
        .init("Happened", "event_at"),
        .init("Received", "received_at").detail,
        .init("State", "state"),
        .init("Outcome", "outcome").optional,
        .init("Users", "users").number,
        .init("Attempts", "attempts").number.detail,
        .init("Client ID", "client_id").detail,
        .init("Subject", "subject").detail.optional,
        .init("Forgotten", "forgotten_at").detail.optional,
        .init("Updated", "updated_at").detail)
}
