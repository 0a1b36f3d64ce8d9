package import Access
package import BrowserSessions
import Delivery
package import Foundation
package import Postgres
import Tenancy
package import Users

extension Session {
    /// Ends a user's sessions, unredeemed codes and tokens. It emits the webhook event. The caller then writes the audit event. The schema
    /// records the end for applications and resource servers.
    ///
    /// The user is updated first and the sessions in a second statement. A login that is creating a session locks the user, so this waits
    /// for it. An expired session is ended too while its last access tokens may be valid (at most one day), because resource servers must
    /// be notified.
    /// - Parameters:
    ///   - last: ends only what started until this time; nil ends all.
    ///   - origin: the actor for the webhook event.
    /// - Returns: the sessions that ended.
    @discardableResult
    package static func endAll(
        of user: ID<User>, _ tenant: ID<Tenant>, because reason: EndReason, startedUntil last: Date? = nil,
        by origin: AuditEvent.Origin? = nil, at now: Date, in db: Transaction
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
                    .sessionRevoked, data: RevokedSessions(because: reason, ended, of: user), owner: tenant.uuid, by: origin, at: now))
        }
        return ended
    }
}

/// A session that has just ended, with the application that must end its own sign-in.
package struct EndedSession: Sendable {
    package let session: ID<Session>
    package let application: ID<Application>
    /// The own host of the tenant at which the application got its last tokens. Nil for the public URL.
    package let host: String?
}

extension Session {
    /// Ends the sign-in of browsers, and the sessions of all applications that were started with it. The schema notifies the applications.
    ///
    /// A browser session that has expired has sessions too, so they end even if it no longer exists. It is ended first. A login that is
    /// creating one of its sessions locks it, so this waits for the login.
    /// - Parameters:
    ///   - browsers: the browser sessions.
    ///   - session: an application's session that ends too.
    ///   - actor: the application whose request causes the end. Nil if the person did not come from one.
    /// - Returns: the sessions that ended.
    @discardableResult
    package static func endAll(
        inBrowsers browsers: [ID<BrowserSession>], and session: ID<Session>? = nil, of user: ID<User>, _ tenant: ID<Tenant>,
        because reason: EndReason, _ browserReason: BrowserSession.EndReason, actor: ID<Application>?, at now: Date, in db: Transaction
    ) async throws -> [EndedSession] {
        let linked: SQL =
            session.map { session in
                // An old session does not reach the later sign-ins with Apple of the same browser.
                """
                SELECT s.browser_session_id FROM session s
                WHERE s.tenant_id = \(tenant) AND s.id = \(session) AND s.user_id = \(user)
                    AND NOT EXISTS (\(part: BrowserSession.renewed("s.browser_session_id", of: tenant, since: "s.created_at")))
                """
            }
            ?? "SELECT NULL::uuid AS browser_session_id"
        let known = try await db.run(linked).compactMap { try $0.get("browser_session_id", as: UUID?.self) }.map(ID<BrowserSession>.init)
        let all = Array(Set(browsers + known))
        let (endedBrowsers, endedSessions) = try await db.run(
            BrowserSession.end(all, of: user, tenant, because: browserReason, at: now),
            """
            WITH lasting AS (
                SELECT s.id FROM session s JOIN session_life l ON l.tenant_id = s.tenant_id AND l.id = s.id
                WHERE s.tenant_id = \(tenant) AND s.user_id = \(user) AND s.ended_at IS NULL
                    AND (s.browser_session_id = ANY(\(all.map(\.uuid))) OR s.id = \(session))
                    AND (s.id = \(session) OR GREATEST(l.ends_at, s.refreshed_at + interval '1 day') > \(now))
                ORDER BY s.id FOR UPDATE OF s)
            UPDATE session s SET ended_at = GREATEST(\(now), s.refreshed_at), ended_reason = \(reason) FROM lasting
            WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
            RETURNING s.id, s.application_id, s.last_host
            """)
        let over = try endedSessions.map { row in
            EndedSession(session: try row.get("id"), application: try row.get("application_id"), host: try row.get("last_host"))
        }
        let ended = over.map(\.session)
        let browser = try endedBrowsers.first { try $0.get("id", as: ID<BrowserSession>.self) } ?? all.first
        guard !ended.isEmpty || !endedBrowsers.isEmpty,
            let subject = browser.map({ ("browser_session.\(browserReason.rawValue)", $0.description) })
                ?? session.map({ ("session.\(reason.rawValue)", $0.description) })
        else { return [] }
        let revoked = RevokedSessions(because: reason, ended, of: user)
        var statements: [SQL] = []
        if !ended.isEmpty { statements.append(try WebhookEvent.emit(.sessionRevoked, data: revoked, owner: tenant.uuid, at: now)) }
        statements.append(
            try AuditEvent.insert(
                subject.0, of: subject.1, owner: tenant.uuid,
                by: actor.map { AuditEvent.Origin(actor: $0.description, address: nil, requestID: nil) } ?? .system, after: revoked,
                at: now))
        _ = try await db.run(statements)
        return over
    }

    /// Ends the sessions of a user at one application. It emits the webhook event. The caller then writes the audit event.
    /// - Parameter origin: the actor for the webhook event.
    package static func endAll(
        of user: ID<User>, at application: ID<Application>, _ tenant: ID<Tenant>, because reason: EndReason, by origin: AuditEvent.Origin,
        at now: Date, in db: Transaction
    ) async throws {
        let ended = try await db.run(
            """
            WITH lasting AS (
                SELECT s.id FROM session s JOIN session_life l ON l.tenant_id = s.tenant_id AND l.id = s.id
                WHERE s.tenant_id = \(tenant) AND s.user_id = \(user) AND s.application_id = \(application) AND s.ended_at IS NULL
                    AND GREATEST(l.ends_at, s.refreshed_at + interval '1 day') > \(now)
                ORDER BY s.id FOR UPDATE OF s)
            UPDATE session s SET ended_at = GREATEST(\(now), s.refreshed_at), ended_reason = \(reason) FROM lasting
            WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
            RETURNING s.id
            """
        ).map { try $0.get("id", as: ID<Session>.self) }
        guard !ended.isEmpty else { return }
        _ = try await db.run(
            WebhookEvent.emit(
                .sessionRevoked, data: RevokedSessions(because: reason, ended, of: user), owner: tenant.uuid, by: origin, at: now))
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
