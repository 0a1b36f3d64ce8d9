import ArgumentParser

/// `espalierctl notifications`: manages Apple's notifications.
struct Notifications: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists and replays Apple's notifications.",
        subcommands: [ListNotifications.self, ShowNotification.self, ReplayNotification.self])
}

extension View {
    static let notification = View(
        .init("ID", "id"),
        .init("Type", "type"),
        .init("Occurred", "event_at"),
        .init("Received", "received_at").detail,
        .init("State", "state"),
        .init("Outcome", "outcome").optional,
        .init("Users", "users").number,
        .init("Attempts", "attempts").number.detail,
        .init("Client ID", "client_id").detail,
        .init("Subject", "subject").detail.optional,
        .init("Erased", "forgotten_at").detail.optional,
        .init("Updated", "updated_at").detail)
}
