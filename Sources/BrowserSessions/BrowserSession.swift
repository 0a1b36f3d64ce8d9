package import Access
package import Foundation
package import Postgres
import Tenancy
package import Users

/// The sign-in of a browser at a tenant's issuer. It starts with a sign-in with Apple, and lets the tenant's applications sign the same
/// user in without Apple.
///
/// It ends with a logout, after a time without use, and at the latest after a time from the sign-in with Apple. It also ends together with
/// everything else that a user or a tenant got until a time (`tokens_valid_after`), so no code that ends sessions has to know it.
package struct BrowserSession: Identified, Sendable {
    package static let idPrefix = "browsersession"

    package enum EndReason: String, Encodable, SQLValue {
        /// The user signed out in an application.
        case logout
        /// Another user signed in with the same browser.
        case replaced
        /// A cookie was used long after its successor. Two parties have it.
        case reused
    }

    /// How long a cookie is used before it gets a successor, in seconds.
    package static let rotation: TimeInterval = 600
    /// How long a cookie is still accepted after its successor was first used, in seconds. This covers parallel requests.
    package static let grace: TimeInterval = 30
    /// The longest age that is compared, in seconds. No session is as old.
    fileprivate static let oldest = 1_000_000_000

    package let id: ID<BrowserSession>
    package let user: ID<User>
    package let generation: Int
    /// When Apple authenticated the user.
    package let authenticatedAt: Date
    /// When Espalier admitted that sign-in.
    package let signedInAt: Date
    package let expiresAt: Date

    package init(_ row: Row) throws {
        id = try row.get("id")
        user = try row.get("user_id")
        generation = try row.get("generation")
        authenticatedAt = try row.get("authenticated_at")
        signedInAt = try row.get("signed_in_at")
        expiresAt = try row.get("expires_at")
    }

    /// The relation of a login to the session of its browser.
    package struct Link: Equatable, Sendable {
        package let session: ID<BrowserSession>
        /// When Espalier admitted the sign-in with Apple, if the user signed in without Apple. A silent sign-in is only valid as long as that
        /// one. Nil for a sign-in with Apple.
        package let signedInAt: Date?

        package init(_ session: ID<BrowserSession>, signedInAt: Date?) {
            (self.session, self.signedInAt) = (session, signedInAt)
        }

        package var isSilent: Bool { signedInAt != nil }
    }

    package var cookie: BrowserCookie { BrowserCookie(id, of: user, generation: generation) }

    /// How long the browser stores the cookie, in seconds.
    package func seconds(at now: Date) -> Int { Int(expiresAt.timeIntervalSince(now).rounded()) }
}

// MARK: Start

extension BrowserSession {
    /// Starts the session of a browser after a sign-in with Apple, or continues the one that the browser had before if it is the same
    /// user's. Another user's session ends. In each case, all earlier cookies are invalid. A generation is left out, so that the last cookie
    /// is not the one before the new one.
    ///
    /// A new session has a new ID, which no request can choose (session fixation).
    /// - Parameter earlier: the session of the browser at the start of the sign-in.
    package static func start(
        for user: ID<User>, of tenant: Tenant, continuing earlier: ID<BrowserSession>?, authenticatedAt: Date, userAgent: String?,
        address: String?, at now: Date
    ) -> SQL {
        let expiry = now.addingTimeInterval(TimeInterval(tenant.settings.browserSessionSeconds))
        return """
            WITH continued AS (
                UPDATE browser_session SET generation = generation + 2, rotated_at = \(now), presented_at = NULL,
                    authenticated_at = \(authenticatedAt), signed_in_at = \(now), last_used_at = \(now), expires_at = \(expiry),
                    user_agent = \(userAgent), address = \(address)
                WHERE tenant_id = \(tenant.id) AND id = \(earlier) AND user_id = \(user) AND ended_at IS NULL
                RETURNING id, user_id, generation, authenticated_at, signed_in_at, expires_at),
            replaced AS (
                UPDATE browser_session SET ended_at = \(now), ended_reason = \(EndReason.replaced), expires_at = LEAST(expires_at, \(now))
                WHERE tenant_id = \(tenant.id) AND id = \(earlier) AND user_id <> \(user) AND ended_at IS NULL),
            started AS (
                INSERT INTO browser_session (tenant_id, id, user_id, generation, rotated_at, authenticated_at, signed_in_at, created_at,
                    last_used_at, expires_at, user_agent, address)
                SELECT \(tenant.id), \(ID<BrowserSession>(at: now)), \(user), 0, \(now), \(authenticatedAt), \(now), \(now), \(now),
                    \(expiry), \(userAgent), \(address)
                WHERE NOT EXISTS (SELECT FROM continued)
                RETURNING id, user_id, generation, authenticated_at, signed_in_at, expires_at)
            SELECT id, user_id, generation, authenticated_at, signed_in_at, expires_at FROM continued
            UNION ALL SELECT id, user_id, generation, authenticated_at, signed_in_at, expires_at FROM started
            """
    }
}

// MARK: Use

extension BrowserSession {
    /// The part of a request that the session must satisfy.
    package struct Wanted: Sendable {
        /// The maximum age of Apple's authentication, in seconds.
        package let maxAge: Int?
        /// Selects a row if the user has allowed the application of a third party. Nil if this is not necessary.
        package let consent: SQL?

        package init(maxAge: Int?, consent: SQL?) {
            (self.maxAge, self.consent) = (maxAge, consent)
        }

        /// Apple must have authenticated the user after this time. A maximum age of 0 always needs Apple.
        fileprivate func start(at now: Date) -> Date? {
            maxAge.map { now.addingTimeInterval(-TimeInterval(min($0, BrowserSession.oldest))) }
        }
    }

    /// Uses the session of a cookie, if it satisfies the request. From time to time, the cookie gets a successor. The cookie is valid until
    /// the browser presents the successor. So a lost response ends nothing, and the next request gets the same successor.
    ///
    /// One statement checks and writes. It returns no row if the session has ended, its user or all users were signed out, the cookie is
    /// too old, or the request wants more. `state` then tells these apart.
    package static func use(_ cookie: BrowserCookie, of tenant: Tenant, _ wanted: Wanted, at now: Date) -> SQL {
        let isRecent: SQL = wanted.start(at: now).map { "AND b.authenticated_at > \($0)" } ?? ""
        let isAllowed: SQL = wanted.consent.map { "AND EXISTS (\(part: $0))" } ?? ""
        let presented: SQL = "b.generation = \(cookie.generation)"
        let rotates: SQL = "\(part: presented) AND b.rotated_at <= \(now.addingTimeInterval(-rotation))"
        return """
            UPDATE browser_session AS b SET last_used_at = GREATEST(\(now), b.last_used_at),
                generation = CASE WHEN \(part: rotates) THEN b.generation + 1 ELSE b.generation END,
                rotated_at = CASE WHEN \(part: rotates) THEN \(now) ELSE b.rotated_at END,
                presented_at = CASE WHEN \(part: rotates) THEN NULL WHEN \(part: presented) THEN COALESCE(b.presented_at, \(now))
                    ELSE b.presented_at END
            \(part: active(cookie, of: tenant, at: now)) AND \(part: isCurrent(cookie, at: now)) \(part: isRecent) \(part: isAllowed)
            RETURNING b.id, b.user_id, b.generation, b.authenticated_at, b.signed_in_at, b.expires_at
            """
    }

    /// The reason why a session does not satisfy a request.
    package enum State: String, SQLValue {
        /// It does not exist, has ended or has expired. Or its cookie is older than the current one, which no browser has presented yet.
        case over
        /// A browser has presented a later cookie. Two parties may have the session.
        case reused
        /// Apple authenticated the user too long ago.
        case old
        /// The user has not allowed the application of a third party, or for less.
        case notAllowed = "not_allowed"
        /// It satisfies the request now. Something has changed since the last statement.
        case usable
    }

    package static func state(_ cookie: BrowserCookie, of tenant: Tenant, _ wanted: Wanted, at now: Date) -> SQL {
        let isOld: SQL = wanted.start(at: now).map { "b.authenticated_at <= \($0)" } ?? "false"
        let isAllowed: SQL = wanted.consent.map { "EXISTS (\(part: $0))" } ?? "true"
        return """
            SELECT CASE WHEN NOT \(part: isCurrent(cookie, at: now)) THEN
                    CASE WHEN b.presented_at <= \(now.addingTimeInterval(-grace)) THEN 'reused' ELSE 'over' END
                WHEN \(part: isOld) THEN 'old' WHEN NOT \(part: isAllowed) THEN 'not_allowed' ELSE 'usable' END AS state
            \(part: active(cookie, of: tenant, at: now, in: "browser_session AS b, "))
            """
    }

    /// Selects a row if the user signed in with Apple again in the browser, after the time of an expression.
    /// - Parameter session: the ID of the session, as an expression.
    package static func renewed(_ session: SQL, of tenant: ID<Tenant>, since time: SQL) -> SQL {
        "SELECT FROM browser_session WHERE tenant_id = \(tenant) AND id = \(part: session) AND signed_in_at > \(part: time)"
    }

    /// Selects the user of the session of a cookie, without using the session.
    package static func user(of cookie: BrowserCookie, _ tenant: Tenant, at now: Date) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled
        \(part: active(cookie, of: tenant, at: now, in: "browser_session AS b, ")) AND \(part: isCurrent(cookie, at: now))
        """
    }

    /// The end of a statement about the session `b` of a cookie, which is active.
    private static func active(_ cookie: BrowserCookie, of tenant: Tenant, at now: Date, in tables: SQL = "") -> SQL {
        """
        FROM \(part: tables)(\(part: User.live)) AS u, (\(part: Tenant.limits)) AS t
        WHERE b.tenant_id = \(tenant.id) AND b.id = \(cookie.session) AND b.user_id = \(cookie.user) AND b.ended_at IS NULL
            AND b.expires_at > \(now)
            AND b.signed_in_at > \(now.addingTimeInterval(-TimeInterval(tenant.settings.browserSessionSeconds)))
            AND b.last_used_at > \(now.addingTimeInterval(-TimeInterval(tenant.settings.browserIdleSeconds)))
            AND u.tenant_id = \(tenant.id) AND u.id = b.user_id AND t.id = \(tenant.id)
            AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < b.signed_in_at)
            AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < b.signed_in_at)
        """
    }

    /// Whether the cookie is the current one of the session `b`, or the one before until a moment after the first use of the current one.
    private static func isCurrent(_ cookie: BrowserCookie, at now: Date) -> SQL {
        """
        (b.generation = \(cookie.generation)
            OR b.generation = \(cookie.generation + 1)
                AND (b.presented_at IS NULL OR b.presented_at > \(now.addingTimeInterval(-grace))))
        """
    }

    /// Whether a session has ended, as a condition. It waits for a transaction that is ending it.
    package static func hasEnded(_ id: ID<BrowserSession>, of tenant: ID<Tenant>) -> SQL {
        """
        NOT EXISTS (SELECT FROM browser_session WHERE tenant_id = \(tenant) AND id = \(id) AND ended_at IS NULL FOR SHARE)
        """
    }
}

// MARK: End

extension BrowserSession {
    /// Ends sessions of a user.
    package static func end(
        _ ids: [ID<BrowserSession>], of user: ID<User>, _ tenant: ID<Tenant>, because reason: EndReason, at now: Date
    ) -> SQL {
        """
        UPDATE browser_session SET ended_at = \(now), ended_reason = \(reason), expires_at = LEAST(expires_at, \(now))
        WHERE tenant_id = \(tenant) AND user_id = \(user) AND id = ANY(\(ids)) AND ended_at IS NULL
        RETURNING id
        """
    }

    /// Deletes sessions that are over.
    package static func forgetOld(in database: PlatformDatabase, batch: Int = 1000) async throws {
        try await database.remove(batch: batch) { batch in
            """
            DELETE FROM browser_session WHERE (tenant_id, id) IN (
                SELECT tenant_id, id FROM browser_session WHERE expires_at < statement_timestamp() - interval '1 hour'
                ORDER BY expires_at LIMIT \(batch))
            """
        }
    }
}
