import Access
import Delivery
import Hummingbird
import Web

extension AuthKitEventRoutes {
    /// Creates a webhook of the format `workos`, as `createWebhook` does. Only this response contains the secret.
    @Sendable
    func authKitCreateEndpoint(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        var fields = try await JSONFields(request)
        let url = fields.text("endpoint_url", 1...2000, isRequired: true) { webhooks.refusal(of: $0) }
        let events = fields.choices("events", WorkOSEndpoint.Event.self, isRequired: true)
        try fields.finish()
        guard let url, let events else { throw Problem(.invalid, "`endpoint_url` and `events` are required.") }
        let (webhook, secret) = try await webhooks.create(NewWebhook(url: url, events: events.map(\.kind), format: .workos), call)
        return try .json(WorkOSEndpoint(webhook, secret: secret), status: .created)
    }
}
