import Access
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    /// Sends waiting events at once, and also sends the events that were set aside again. Useful when the receiver is available again.
    @Sendable
    func retryUsageSink(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request, isOptional: true)
        try fields.finish()
        let now = now()
        let (reply, updatedAt) = try await call.platformDatabase(pool).transaction { db in
            guard let sink = try await db.run(UsageSink.lock).first(UsageSink.init) else { throw Problem.notFound("usage sink") }
            var batch = Statements(UsageSink.takeBackAll() + UsageSink.wake(at: now))
            let waiting = batch.append(UsageSink.waiting)
            let results = try await db.run(batch)
            _ = try await db.run(
                AuditEvent.insert("retryUsageSink", of: sink.id.description, owner: .platform, by: call.origin, at: now))
            return (try sink.reply(results[waiting]), sink.updatedAt)
        }
        return try .resource(reply, updatedAt: updatedAt)
    }
}
