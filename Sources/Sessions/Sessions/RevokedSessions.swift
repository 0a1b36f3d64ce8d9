import Access
import Delivery
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Users
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
}

/// What the audit trail keeps of signing everybody out, whether anybody was in or not.
private struct SignedOut: Encodable {
    let object = "tenant"
    let tokens_valid_after: Date
}

/// The answer to the revocation of several.
struct Revocation: Encodable {
    let object = "revocation"
    let revoked: Int
}

extension SessionRoutes {
    /// Ends all of a tenant's sessions that began before now, and has codes from before get no tokens. One that began by such a code
    /// while this was called ends too.
    ///
    /// A batch at a time, each in a transaction of its own with its audit event and its webhook event: no statement takes
    /// longer with the number of sessions, and nobody's refresh waits for all of them. Broken off, it can be done again. That nothing
    /// from before now counts has an audit event of its own: it is so for codes, too, where nobody has a session.
    func revokeSessions(of tenant: ID<Tenant>, by origin: AuditEvent.Origin, batch: Int = 1000, at now: Date) async throws -> Int {
        let database = OwnerDatabase(pool, tenant: tenant)
        // First: what is begun from here on is not begun by an older code.
        try await database.transaction { db in
            let validAfter = try await db.run(
                """
                UPDATE tenant SET tokens_valid_after = GREATEST(\(now), tokens_valid_after) WHERE id = \(tenant)
                RETURNING tokens_valid_after
                """
            ).first { try $0.get("tokens_valid_after", as: Date.self) }
            _ = try await db.run(
                AuditEvent.insert(
                    "revokeAllSessions", of: tenant.description, owner: tenant.uuid, by: origin,
                    after: SignedOut(tokens_valid_after: validAfter ?? now), at: now))
        }
        // What such a code was beginning at that moment has begun, and is found.
        _ = try await database.run(LoginLock.exclusive(of: tenant))
        let moment = max(now, self.now())
        var (revoked, last) = (0, ID<Session>(.platform))
        while true {
            let (seen, ended) = try await database.transaction { [last] db -> ([ID<Session>], Int) in
                let seen = try await db.run(Session.page(of: tenant, after: last, until: moment, limit: batch))
                    .map { try $0.get("id", as: ID<Session>.self) }
                guard !seen.isEmpty else { return (seen, 0) }
                let ended = try await db.run(Session.revoke(seen, of: tenant, at: now)).map { try $0.get("id", as: ID<Session>.self) }
                guard !ended.isEmpty else { return (seen, 0) }
                _ = try await db.run([
                    try WebhookEvent.emit(
                        .sessionRevoked, data: RevokedSessions(because: .revoked, ended, of: nil), owner: tenant.uuid, at: now),
                    try AuditEvent.insert(
                        "revokeAllSessions", of: tenant.description, owner: tenant.uuid, by: origin,
                        after: Revocation(revoked: ended.count), at: now),
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
    /// The next sessions, whatever their state.
    fileprivate static func page(of tenant: ID<Tenant>, after last: ID<Session>, until now: Date, limit: Int) -> SQL {
        "SELECT id FROM session WHERE tenant_id = \(tenant) AND id > \(last) AND created_at <= \(now) ORDER BY id LIMIT \(limit)"
    }

    /// Ends those of them that last, or whose last access tokens may live still. Locked in their order: two such at once wait, and not for each other.
    fileprivate static func revoke(_ ids: [ID<Session>], of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        WITH lasting AS (
            SELECT s.id FROM session s JOIN session_life l ON l.tenant_id = s.tenant_id AND l.id = s.id
            WHERE s.tenant_id = \(tenant) AND s.id = ANY(\(ids)) AND s.ended_at IS NULL
                AND GREATEST(l.ends_at, s.refreshed_at + interval '1 day') > \(now)
            ORDER BY s.id FOR UPDATE OF s)
        UPDATE session s SET ended_at = GREATEST(\(now), s.refreshed_at), ended_reason = \(EndReason.revoked) FROM lasting
        WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
        RETURNING s.id
        """
    }
}
