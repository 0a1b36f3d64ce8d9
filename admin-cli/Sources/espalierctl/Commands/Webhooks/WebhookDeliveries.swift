import ArgumentParser

/// `espalierctl webhooks deliveries`: lists and replays a webhook's deliveries.
struct WebhookDeliveries: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "Lists and replays a webhook's deliveries.",
        subcommands: [ListWebhookDeliveries.self, ShowWebhookDelivery.self, ReplayWebhookDelivery.self])
}

extension View {
    static let webhookDelivery = View(
        .init("ID", "id"),
        .init("Event", "event.type"),
        .init("Occurred", "event.occurred_at").detail,
        .init("State", "state"),
        .init("Attempts", "attempts").number,
        .init("Next", "next_at").optional.exact,
        .init("Last status", "last_status").optional,
        .init("Last error", "last_error").optional,
        .init("Created", "created_at").exact,
        .init("Updated", "updated_at").detail,
        .init("Data", "event.data").detail.optional)
}
