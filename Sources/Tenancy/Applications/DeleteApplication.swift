package import Access
import Delivery
package import Foundation
import Hummingbird
package import Postgres
import Web

/// The webhook data for the sessions that ended with their application.
private struct Ended: Encodable {
    let reason = "revoked"
    let application_id: ID<Application>
    let revoked: Int
}

extension ApplicationRoutes {
    /// Deletes an application. Sign-ins to it fail, and its refresh tokens and access tokens become invalid. Users and usage remain,
    /// because they belong to the tenant.
    @Sendable
    func deleteApplication(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("application", of: "application", as: Application.self)
        try await delete(id, as: "deleteApplication", of: call.tenant, by: call.origin, at: now()) {
            try request.requireMatch(EntityTag($0.updatedAt))
        }
        return .noContent
    }

    /// - Parameters:
    ///   - action: the action in the audit trail.
    ///   - admit: throws to prevent the deletion.
    ///   - check: runs after the application is locked, and throws to prevent the deletion.
    /// - Throws: `Problem` 404.
    package func delete(
        _ id: ID<Application>, as action: String, of tenant: ID<Tenant>, by origin: AuditEvent.Origin, at now: Date,
        admit: @Sendable (Application) throws -> Void = { _ in }, check: @Sendable (Transaction) async throws -> Void = { _ in }
    ) async throws {
        try await OwnerDatabase(pool, tenant: tenant).transaction { db in
            guard let application = try await db.run(Application.lock(id, of: tenant)).first(Application.init)
            else { throw Problem.notFound("application") }
            try admit(application)
            try await check(db)
            let (_, sessions) = try await db.run(
                "DELETE FROM application WHERE tenant_id = \(tenant) AND id = \(id)",
                // The sessions' tokens are invalid without this. It only prevents lists from showing these sessions as active.
                endSessions(id, tenant, now))
            let ended = sessions.affected
            var statements: [SQL] = []
            if ended > 0 {
                statements.append(
                    try WebhookEvent.emit(
                        .sessionRevoked, data: Ended(application_id: id, revoked: ended), owner: tenant.uuid, by: origin, at: now))
            }
            statements.append(
                try AuditEvent.insert(
                    action, of: id.description, owner: tenant.uuid, by: origin, before: ApplicationReply(application), at: now))
            _ = try await db.run(statements)
        }
    }
}
