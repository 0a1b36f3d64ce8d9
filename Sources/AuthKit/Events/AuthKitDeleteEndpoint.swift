import Access
import Delivery
import Hummingbird
import Web

extension AuthKitEventRoutes {
    /// Deletes a webhook of the format `workos`, as `deleteWebhook` does.
    @Sendable
    func authKitDeleteEndpoint(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        try await webhooks.delete(try call.endpointID(), call, admit: WorkOSEndpoint.requireEndpoint)
        return .noContent
    }
}
