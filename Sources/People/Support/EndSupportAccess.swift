import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension SupportRoutes {
    /// Ends a support access, by the tenant or by an operator. A second call changes nothing. It needs no recent
    /// sign-in, because it only takes permissions away, and must not wait.
    @Sendable
    func endSupportAccess(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersWrite)
        let id = try call.id("support", of: "support access", as: SupportAccess.self)
        let (now, origin, tenant) = (now(), call.origin, call.tenant)
        let ended = try await call.database(pool).transaction { db in
            guard let access = try await db.run(SupportAccess.lock(id, of: tenant)).first(SupportAccess.init)
            else { throw Problem.notFound("support access") }
            guard access.endedAt == nil else { return access }
            _ = try await db.run(SupportAccess.end([access], of: tenant.uuid, by: origin, at: now))
            return access.ended(by: origin.actor, at: now)
        }
        return try .json(SupportAccessReply(ended, at: now))
    }
}
