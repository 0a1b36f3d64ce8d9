package import Access
import Delivery
package import Foundation
package import Postgres
package import Users

extension Session {
    /// Ends a user's sessions, unredeemed codes and tokens. It emits the webhook event. The caller then writes the audit event. The schema
    /// records the end for applications and resource servers.
    ///
    /// The user is updated first and the sessions in a second statement. A login that is creating a session locks the user, so this waits
    /// for it. An expired session is ended too while its last access tokens may be valid (at most one day), because resource servers must
    /// be notified.
    /// - Parameter last: ends only what started until this time; nil ends all.
    /// - Returns: the sessions that ended.
    @discardableResult
    package static func endAll(
        of user: ID<User>, _ tenant: ID<Tenant>, because reason: EndReason, startedUntil last: Date? = nil, at now: Date, in db: Transaction
    ) async throws -> [ID<Session>] {
        let (_, sessions) = try await db.run(
            User.endTokens(of: user, tenant, at: last ?? now),
            """
            WITH lasting AS (
                SELECT s.id FROM session s JOIN session_life l ON l.tenant_id = s.tenant_id AND l.id = s.id
                WHERE s.tenant_id = \(tenant) AND s.user_id = \(user) AND s.ended_at IS NULL
                    AND GREATEST(l.ends_at, s.refreshed_at + interval '1 day') > \(now)
                    AND (\(last) IS NULL OR s.created_at <= \(last))
                ORDER BY s.id FOR UPDATE OF s)
            UPDATE session s SET ended_at = GREATEST(\(now), s.refreshed_at), ended_reason = \(reason) FROM lasting
            WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
            RETURNING s.id
            """)
        let ended = try sessions.map { try $0.get("id", as: ID<Session>.self) }
        if !ended.isEmpty {
            _ = try await db.run(
                WebhookEvent.emit(
                    .sessionRevoked, data: RevokedSessions(because: reason, ended, of: user), owner: tenant.uuid, at: now))
        }
        return ended
    }
}

extension Session {
    /// Selects the ends of sessions as a part of a feed, without those of deleted users.
    package static func ends(_ feed: FeedPage, _ kind: FeedPage.Kind, of tenant: ID<Tenant>) -> SQL {
        feed.select(
            kind, at: "ended_at", bits: "right(replace(id::text, '-', ''), 16)", subject: "id::text",
            source: """
                FROM session WHERE tenant_id = \(tenant) AND ended_at IS NOT NULL
                    AND EXISTS (SELECT FROM (\(part: User.live)) AS u WHERE u.tenant_id = session.tenant_id AND u.id = session.user_id)
                """)
    }

    /// The position of the end of a session in a feed.
    package static func position(_ kind: FeedPage.Kind, ofEnd time: Date, _ session: ID<Session>) -> UUID {
        FeedPage.position(kind, at: time, session.lastBits)
    }
}
