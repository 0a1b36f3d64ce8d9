import ArgumentParser

/// `espalierctl webhooks`: manages a tenant's webhooks.
struct Webhooks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages a tenant's webhooks and their deliveries.",
        subcommands: [
            CreateWebhook.self, ListWebhooks.self, ShowWebhook.self, UpdateWebhook.self, DeleteWebhook.self, TestWebhook.self,
            ListenWebhooks.self, TriggerWebhook.self, RollWebhookSecret.self, WebhookDeliveries.self,
        ])
}

extension View {
    static let webhook = View(
        .init("ID", "id"),
        .init("URL", "url"),
        .init("Events", "events"),
        .init("Format", "format").detail.optional,
        .init("Description", "description").detail.optional,
        .init("Status", "status"),
        .init("Disabled reason", "disabled_reason").detail.optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail,
        .init("Secret", "secret").detail.optional)

    static let webhookSecret = View(.init("ID", "id"), .init("Created", "created_at"), .init("Secret", "secret").optional)
}
