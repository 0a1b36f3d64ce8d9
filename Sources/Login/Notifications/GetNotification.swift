import Hummingbird
import Postgres
import Tenancy
import Web

extension Login {
    @Sendable
    func getNotification(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.notificationsRead)
        let id = try call.id("notification", of: "notification", as: KeptNotification.self)
        guard let found = try await call.database(pool).run(KeptNotification.find(id, of: call.owner)).first(KeptNotification.init)
        else { throw Problem.notFound("notification") }
        return try .resource(found.reply, updatedAt: found.updatedAt)
    }
}
