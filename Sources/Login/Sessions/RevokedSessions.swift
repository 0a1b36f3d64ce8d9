import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

/// What webhooks hear of sessions that ended before their time (`session.revoked`): one event for what ended in one
/// transaction, be it one session or a thousand.
struct RevokedSessions: Encodable {
    let reason: Session.EndReason
    /// How many.
    let revoked: Int
    /// Which, where they are not too many for a webhook's body.
    let session_ids: [ID<Session>]?
    /// Whose, where they are one user's.
    let user_id: ID<User>?

    static let named = 100

    init(because reason: Session.EndReason, _ sessions: [ID<Session>], of user: ID<User>?) {
        (self.reason, revoked, user_id) = (reason, sessions.count, user)
        session_ids = sessions.count <= Self.named ? sessions : nil
    }

    /// Of a user that is gone.
    init(because reason: Session.EndReason, count: Int, of user: ID<User>) {
        (self.reason, revoked, session_ids, user_id) = (reason, count, nil, user)
    }
}

/// The answer to the revocation of several.
struct Revocation: Encodable {
    let object = "revocation"
    let revoked: Int
}

extension Login {
    /// Ends a user's sessions, or all of the tenant's, that began before now.
    ///
    /// A batch at a time, each in a transaction of its own with its audit event and its webhook event: no statement takes
    /// longer with the number of sessions, and nobody's refresh waits for all of them. Broken off, it can be done again.
    func revokeSessions(
        of user: ID<User>?, _ action: String, on subject: String, tenant: ID<Tenant>, by origin: AuditEvent.Origin, batch: Int = 1000,
        at now: Date
    ) async throws -> Int {
        let database = OwnerDatabase(pool, tenant: tenant)
        var (revoked, last) = (0, ID<Session>(.platform))
        while true {
            let (seen, ended) = try await database.transaction { [last] db -> ([ID<Session>], Int) in
                let seen = try await db.run(Session.page(of: user, tenant, after: last, until: now, limit: batch))
                    .map { try $0.get("id", as: ID<Session>.self) }
                guard !seen.isEmpty else { return (seen, 0) }
                let ended = try await db.run(Session.revoke(seen, of: tenant, at: now)).map { try $0.get("id", as: ID<Session>.self) }
                guard !ended.isEmpty else { return (seen, 0) }
                _ = try await db.run([
                    try WebhookEvent.emit(
                        .sessionRevoked, data: RevokedSessions(because: .revoked, ended, of: user), owner: tenant.uuid, at: now),
                    try AuditEvent.insert(
                        action, of: subject, owner: tenant.uuid, by: origin, after: Revocation(revoked: ended.count), at: now),
                ])
                return (seen, ended.count)
            }
            revoked += ended
            guard seen.count == batch, let end = seen.last else { return revoked }
            last = end
        }
    }
}

extension Session {
    /// The next sessions of a user, or of all, whatever their state.
    fileprivate static func page(of user: ID<User>?, _ tenant: ID<Tenant>, after last: ID<Session>, until now: Date, limit: Int) -> SQL {
        guard let user else {
            return """
                SELECT id FROM session WHERE tenant_id = \(tenant) AND id > \(last) AND created_at <= \(now) ORDER BY id LIMIT \(limit)
                """
        }
        return """
            SELECT id FROM session WHERE tenant_id = \(tenant) AND user_id = \(user) AND id > \(last) AND created_at <= \(now)
            ORDER BY id LIMIT \(limit)
            """
    }

    /// Ends those of them that last. Locked in their order: two such at once wait, and not for each other.
    fileprivate static func revoke(_ ids: [ID<Session>], of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        WITH lasting AS (
            SELECT s.id FROM session s LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id
            WHERE s.tenant_id = \(tenant) AND s.id = ANY(\(ids)) AND s.ended_at IS NULL AND LEAST(s.expires_at,
                s.refreshed_at + make_interval(secs => COALESCE(a.idle_seconds, \(SessionReply.idle)))) > \(now)
            ORDER BY s.id FOR UPDATE OF s)
        UPDATE session s SET ended_at = GREATEST(\(now), s.refreshed_at), ended_reason = \(EndReason.revoked) FROM lasting
        WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
        RETURNING s.id
        """
    }
}
