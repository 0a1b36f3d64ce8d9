import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    /// The outbox's worker and `MeterEvent.forget` delete the waiting events, because there may be many. A request in progress may still
    /// arrive.
    @Sendable
    func deleteUsageSink(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        try await call.database(pool).transaction { db in
            guard let sink = try await db.run(UsageSink.lock).first(UsageSink.init) else { throw Problem.notFound("usage sink") }
            try request.requireMatch(EntityTag(sink.updatedAt))
            _ = try await db.run(
                [
                    "DELETE FROM usage_sink WHERE tenant_id = \(UUID.platform)",
                    "DELETE FROM usage_sink_difference WHERE tenant_id = \(UUID.platform)",
                ] + UsageSink.wake(at: now) + [
                    AuditEvent.insert(
                        "deleteUsageSink", of: sink.id.description, owner: .platform, by: call.origin, before: sink.settings, at: now)
                ])
        }
        return .noContent
    }
}
