import Accounts
import Access
import Hummingbird
import Sessions
import Tenancy
import Web

private struct Reply: Encodable {
    let status = "ok"
}

extension MushuRoutes {
    /// Receives Apple's notifications about users of the tenant's own connections. They concern the tenant, so any of its applications may
    /// be in the base URL.
    @Sendable
    func mushuNotification(_ request: Request, _ context: WebContext) async throws -> Response {
        let received = try await notifications.receiveNotification(request, context)
        // Mushu's response has a body.
        return try .json(Reply(), status: received.status)
    }
}
