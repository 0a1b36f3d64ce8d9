import Access
import Hummingbird
import Postgres
import Web

extension NotificationRoutes {
    @Sendable
    func getNotification(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.notificationsRead)
        let id = try call.id("notification", of: "notification", as: StoredNotification.self)
        guard let found = try await call.database(pool).run(StoredNotification.find(id, of: call.owner)).first(StoredNotification.init)
        else { throw Problem.notFound("notification") }
        return try .resource(found.reply, updatedAt: found.updatedAt)
    }
}
