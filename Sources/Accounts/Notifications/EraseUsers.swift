package import Access
package import Foundation
package import Logging
import Postgres
import Sessions
import Users

/// The erased user in the audit trail, without any data that identifies the person.
private struct Erased: Encodable {
    let id: ID<User>
    let object = "user"
    let team_ids: [String]
    let sessions: Int
    let created_at, deleted_at: Date
}

/// Erases the users whose Apple accounts were deleted, when their tenants' retention is over: profile, identities and sessions. Usage
/// events stay, because they contain only the user's ID. Every process does this. If two processes reach the same user, one waits for the
/// other and then finds the user erased.
package struct EraseUsers: Sendable {
    private let database: PlatformDatabase
    private let logger: Logger

    package init(database: PlatformDatabase, logger: Logger) {
        (self.database, self.logger) = (database, logger)
    }

    private static let batch = 100

    /// Erases all users that are due. A user that cannot be erased does not stop the others, and the next pass tries again.
    /// - Returns: the number of users that this process erased.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        var (erased, last) = (0, Date.distantPast)
        while true {
            let due = try await database.run(
                User.dueErasures(at: now, after: last, limit: Self.batch)
            ).map {
                (
                    try $0.get("tenant_id", as: ID<Tenant>.self), try $0.get("id", as: ID<User>.self),
                    try $0.get("erase_after", as: Date.self)
                )
            }
            var erasedNow = 0
            for (tenant, user, _) in due {
                do {
                    if try await erase(user, of: tenant, at: now) { erasedNow += 1 }
                } catch {
                    try Task.checkCancellation()
                    logger.error("a deleted user could not be erased", metadata: ["user": "\(user)", "cause": "\(error)"])
                }
            }
            erased += erasedNow
            // If no user of a full batch was erased, other processes are erasing them or all of them failed. The next pass tries again.
            guard due.count == Self.batch, erasedNow > 0, let end = due.last?.2 else { return erased }
            last = end
        }
    }

    /// - Returns: whether this process erased the user.
    private func erase(_ user: ID<User>, of tenant: ID<Tenant>, at now: Date) async throws -> Bool {
        try await database.restricted(to: tenant).transaction { db in
            // The identities are locked first, as in a sign-in.
            let (_, teams, dueErasure) = try await db.run(
                Identity.lockSet(of: user), Identity.lockTeams(of: user, tenant),
                User.lockDueErasure(of: user, tenant, at: now))
            guard let times = try dueErasure.first({ (try $0.get("created_at", as: Date.self), try $0.get("deleted_at", as: Date.self)) })
            else { return false }
            let sessions = try await db.run(Session.deleteAll(of: user, tenant)).affected
            let erased = Erased(
                id: user, team_ids: try teams.map { try $0.get("team_id") }, sessions: sessions, created_at: times.0,
                deleted_at: times.1)
            _ = try await db.run([
                // This also deletes its identities.
                User.delete(user, of: tenant),
                try AuditEvent.insert("user.erased", of: user.description, owner: tenant.uuid, by: .system, before: erased, at: now),
            ])
            return true
        }
    }
}
