import Access
import Hummingbird
import Postgres
import Web

extension NotificationRoutes {
    /// Processes a notification again, because its user was unknown, a version did not know its type, or it had no effect for another
    /// reason. It is harmless, because later changes take precedence.
    @Sendable
    func replayNotification(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.notificationsWrite)
        let id = try call.id("notification", of: "notification", as: StoredNotification.self)
        var fields = try await JSONFields(request, isOptional: true)
        try fields.finish()
        let now = now()
        let (owner, origin) = (call.owner, call.origin)
        let action = call.record.current.action ?? "replayNotification"
        let replayed = try await call.database(pool).transaction { db in
            guard let found = try await db.run(StoredNotification.lock(id, of: owner)).first(StoredNotification.init)
            else { throw Problem.notFound("notification") }
            guard found.state == .done
            else { throw Problem(.conflict, "The notification is still in progress. Replay it when it is done.") }
            guard found.forgottenAt == nil
            else { throw Problem(.conflict, "The user was deleted, and the notification's content was erased. It cannot be replayed.") }
            var batch = Statements(StoredNotification.replay(id, of: owner, at: now))
            let after = batch.append(StoredNotification.find(id, of: owner))
            guard let replayed = try await db.run(batch)[after].first(StoredNotification.init)
            else { throw Problem.notFound("notification") }
            _ = try await db.run(
                AuditEvent.insert(
                    action, of: id.description, owner: owner, by: origin, before: found.audited, after: replayed.audited, at: now))
            return replayed
        }
        return try .resource(replayed.reply, updatedAt: replayed.updatedAt, status: .accepted)
    }
}
