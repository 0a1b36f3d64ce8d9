import Access
import Hummingbird
import Postgres
import Web

extension NotificationRoutes {
    @Sendable
    func listNotifications(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.notificationsRead)
        let query = try Query(request, "limit", "after", "before", "type", "outcome")
        let page = try query.page
        let notifications = try await call.database(pool)
            .run(
                StoredNotification.page(
                    page, of: call.owner, type: try query.text("type", upTo: 100),
                    outcome: try query.choice("outcome", StoredNotification.Outcome.self))
            ).map(StoredNotification.init)
        return try .json(Page(notifications, of: page, id: \.id.uuid, \.reply))
    }
}
