import Access
import Delivery
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Users
import Web

/// The data of the webhook event `session.revoked` about sessions that were ended early. All sessions that end in one transaction share one
/// event.
struct RevokedSessions: Encodable {
    let reason: Session.EndReason
    /// The number of sessions.
    let revoked: Int
    /// The sessions, unless they are too many for a webhook's body.
    let session_ids: [ID<Session>]?
    /// The user, if all sessions belong to one.
    let user_id: ID<User>?

    static let named = 100

    init(because reason: Session.EndReason, _ sessions: [ID<Session>], of user: ID<User>?) {
        (self.reason, revoked, user_id) = (reason, sessions.count, user)
        session_ids = sessions.count <= Self.named ? sessions : nil
    }
}

/// The content of the audit event for a sign-out of all users. It is written even if nobody was signed in.
private struct SignedOut: Encodable {
    let object = "tenant"
    let tokens_valid_after: Date
}

/// The response to the revocation of several sessions.
struct Revocation: Encodable {
    let object = "revocation"
    let revoked: Int
}

extension SessionRoutes {
    /// Ends all sessions of a tenant that started before now. Earlier codes get no tokens. A session that starts from such a code during
    /// this call ends too.
    ///
    /// It works in batches. Each batch is a transaction with its audit event and its webhook event. So no statement takes longer with more
    /// sessions, and no refresh waits for all of them. Each batch has its own time. With the time of the call, the ends in a late batch
    /// would be older than events that readers of WorkOS's list of events have read, and the readers would miss them. After an
    /// interruption, the call can be repeated. A separate audit event records that no earlier session or code is valid. It also covers
    /// codes, even if no session exists.
    func revokeSessions(of tenant: ID<Tenant>, by origin: AuditEvent.Origin, batch: Int = 1000, at now: Date) async throws -> Int {
        let database = OwnerDatabase(pool, tenant: tenant)
        // This comes first, so that later sessions cannot start from an earlier code.
        try await database.transaction { db in
            let validAfter = try await db.run(Tenant.endTokens(of: tenant, at: now)).first {
                try $0.get("tokens_valid_after", as: Date.self)
            }
            _ = try await db.run(
                AuditEvent.insert(
                    "revokeAllSessions", of: tenant.description, owner: tenant.uuid, by: origin,
                    after: SignedOut(tokens_valid_after: validAfter ?? now), at: now))
        }
        // Wait for logins that are creating a session from such a code. The loop below then finds their sessions.
        _ = try await database.run(LoginLock.exclusive(of: tenant))
        let moment = max(now, self.now())
        var (revoked, last) = (0, ID<Session>(.platform))
        while true {
            let now = max(now, self.now())
            let (seen, ended) = try await database.transaction { [last] db -> ([ID<Session>], Int) in
                let seen = try await db.run(Session.page(of: tenant, after: last, until: moment, limit: batch))
                    .map { try $0.get("id", as: ID<Session>.self) }
                guard !seen.isEmpty else { return (seen, 0) }
                let ended = try await db.run(Session.revoke(seen, of: tenant, at: now)).map { try $0.get("id", as: ID<Session>.self) }
                guard !ended.isEmpty else { return (seen, 0) }
                _ = try await db.run([
                    try WebhookEvent.emit(
                        .sessionRevoked, data: RevokedSessions(because: .revoked, ended, of: nil), owner: tenant.uuid, by: origin, at: now),
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
    /// The next sessions, in any state.
    fileprivate static func page(of tenant: ID<Tenant>, after last: ID<Session>, until now: Date, limit: Int) -> SQL {
        "SELECT id FROM session WHERE tenant_id = \(tenant) AND id > \(last) AND created_at <= \(now) ORDER BY id LIMIT \(limit)"
    }

    /// Ends the sessions that are active or may have valid access tokens. They are locked in order of their IDs, so two concurrent calls
    /// cannot deadlock.
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
