import Access
import Delivery
import Hummingbird
import Web

extension AuthKitEventRoutes {
    /// Changes a webhook of the format `workos`, as `updateWebhook` does.
    @Sendable
    func authKitUpdateEndpoint(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        let id = try call.endpointID()
        var fields = try await JSONFields(request)
        let url = fields.text("endpoint_url", 1...2000) { webhooks.refusal(of: $0) }
        let events = fields.choices("events", WorkOSEndpoint.Event.self)
        let status = fields.choice("status", Webhook.Status.self)
        for name in ["endpoint_url", "events", "status"] where fields.isNull(name) { fields.refuse(name, "It cannot be removed.") }
        try fields.finish()
        let change = WebhookChange(url: url, events: events?.map(\.kind), status: status)
        return try .json(WorkOSEndpoint(try await webhooks.update(id, change, call, admit: WorkOSEndpoint.requireEndpoint)))
    }
}
