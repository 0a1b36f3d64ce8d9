import ArgumentParser

/// `espalierctl webhooks trigger`: sends an example of an event.
struct TriggerWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Sends an example of an event to the tenant's webhooks and to `webhooks listen`.",
        discussion: """
            The event is marked as an example (is_example) and describes no real user.

            EXAMPLES
              espalierctl webhooks trigger user.created --tenant acme
            """)
    static let view: View? = View(
        .init("ID", "id"), .init("Type", "type"), .init("Example", "is_example").optional, .init("Deliveries", "deliveries").optional,
        .init("Occurred", "created_at").optional)

    @Argument(help: "The type of the event.")
    var type: WebhookEventType

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks/trigger", ["type": JSON(type)])
    }
}
