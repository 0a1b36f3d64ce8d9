import APIs
package import Access
import BrowserSessions
import ClientKeys
import Delivery
package import Foundation
package import Postgres
import Tenancy
package import Users

/// A continuing login on one device. Its ID is the ID of the login that started it.
package struct Session: Identified, Sendable {
    package static let idPrefix = "session"

    package enum EndReason: String, Encodable, SQLValue {
        /// The authorization code was redeemed a second time.
        case codeReplayed = "code_replayed"
        /// A refresh token was used again long after its first use.
        case refreshTokenReused = "refresh_token_reused"
        /// A person or key of the tenant or the platform ended it.
        case revoked
        /// The user was deleted.
        case userDeleted = "user_deleted"
        /// The user signed out in the application.
        case logout
        /// The application revoked one of its tokens.
        case tokenRevoked = "token_revoked"
        /// The user revoked consent at Apple.
        case consentRevoked = "consent_revoked"
        /// The user's Apple account was deleted.
        case accountDeleted = "account_deleted"
    }

    package let user: ID<User>
    package let scope: String
    /// The APIs that the user's sign-in is for.
    let apis: [ID<API>]
    package let generation: Int
    package let refreshedAt: Date
    let expiresAt: Date
    let endedAt: Date?
    /// When Apple authenticated the user. It is nil for a session of an older version.
    package let authenticatedAt: Date?
    /// The key that its refresh tokens are bound to. Only a public application's session has one, because a confidential application
    /// proves its identity with each refresh (RFC 9449, section 5).
    let key: KeyThumbprint?
    /// The own host of the tenant at which it started. Nil for the public URL.
    let host: String?

    init(_ row: Row) throws {
        user = try row.get("user_id")
        scope = try row.get("scope")
        apis = try row.get("api_ids", as: [UUID]?.self)?.map(ID.init) ?? []
        generation = try row.get("refresh_generation")
        refreshedAt = try row.get("refreshed_at")
        expiresAt = try row.get("expires_at")
        endedAt = try row.get("ended_at")
        authenticatedAt = try row.get("authenticated_at")
        key = try row.get("dpop_jkt", as: String?.self).flatMap { KeyThumbprint($0) }
        host = try row.get("host")
    }

    /// Starts and bills the session of a login, and returns its user. It returns no row if the user was deleted, or lost all tokens since
    /// the login was admitted. The schema refuses it (`session_pkey`) if the login has already started its session.
    ///
    /// The user's row is locked. A concurrent end of the user's tokens either comes first and is visible here, or waits and finds the
    /// session.
    /// - Parameter billing: the part that bills the login whose session a part of this name creates. It reads that part, so a login that
    ///   has started its session before fails there (`session_pkey`), and not in the bill.
    static func begin(
        _ login: CompletedLogin, of tenant: Tenant, application: Application, boundTo key: KeyThumbprint?, at now: Date,
        billing: (_ started: SQL) -> SQL
    ) -> SQL {
        // Most logins are for no API, and have no key.
        let (apiColumn, apis): (SQL, SQL) = login.apis.isEmpty ? ("", "") : (", api_ids", ", \(login.apis.map(\.uuid))")
        let bound = application.kind.isConfidential ? nil : key
        let (keyColumn, keyValue): (SQL, SQL) = bound.map { (", dpop_jkt", ", \($0.text)") } ?? ("", "")
        // The address at which the application gets the tokens.
        let (hostColumns, hostValues): (SQL, SQL) = tenant.addresses.current.map { (", host, last_host", ", \($0), \($0)") } ?? ("", "")
        var (browserColumns, browserValues): (SQL, SQL) = ("", "")
        if let browser = login.browser {
            browserColumns = ", browser_session_id, is_silent"
            browserValues = ", \(browser.session), \(browser.isSilent)"
        }
        let (codeColumn, code): (SQL, SQL) = login.codeIssuedAt.map { (", code_issued_at", ", \($0)") } ?? ("", "")
        return """
            WITH admitted AS (\(part: User.admit(login.user, of: tenant.id, since: login.admittedAt, unless: login.hasEnded(of: tenant.id)))),
            started AS (
                INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at, user_agent,
                    address, authenticated_at, apple_team_id, vouched_at\(part: apiColumn)\(part: keyColumn)\(part: browserColumns)
                    \(part: codeColumn)\(part: hostColumns))
                SELECT \(tenant.id), \(login.login), \(application.id), id, \(login.scope), \(now),
                    \(now.addingTimeInterval(TimeInterval(application.sessionSeconds))), \(now), \(login.device.userAgent),
                    \(login.device.address), \(login.authenticatedAt), \(login.vouched?.team), \(login.vouched?.at)\(part: apis)\(part: keyValue)\(part: browserValues)
                    \(part: code)\(part: hostValues)
                FROM admitted
                RETURNING user_id AS id),
            \(part: billing("started"))
            SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled FROM admitted
            """
    }

    /// Selects a row if a login has started its session.
    package static func exists(_ login: ID<LoginID>, of tenant: ID<Tenant>) -> SQL {
        "SELECT FROM session WHERE tenant_id = \(tenant) AND id = \(login)"
    }

    /// Reads the user of a session that `begin` started at exactly this time and that was not used since. The time is in microseconds, so
    /// it identifies the request.
    static func started(_ login: CompletedLogin, at now: Date, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled
        FROM session s JOIN (\(part: User.live)) AS u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(login.login) AND s.created_at = \(now) AND s.refresh_generation = 0
            AND s.ended_at IS NULL
        """
    }

    /// The part of a refresh that must be granted.
    struct RefreshRequest: Sendable {
        /// Empty for the granted scope.
        var scope: [String] = []
        /// The API of the new access token, if the request names one.
        var api: ID<API>?
        /// The key that the request proves.
        var key: KeyThumbprint?
    }

    /// Uses up one generation of the session's refresh token. It returns no row if the generation is not the current one. It also returns
    /// none if the request exceeds the granted scope, because a refusal must not use up the token.
    ///
    /// It returns none if the user or all users were signed out since the session started. This check is necessary, because a sign-out
    /// does not end a session that a limit has already ended. The session would become active again when the limit is removed.
    static func refresh(
        _ id: ID<Session>, of tenant: Tenant, application: Application, generation: Int, _ asked: RefreshRequest, at now: Date
    ) -> SQL {
        // Most requests name no scope and no API.
        let granted: SQL = asked.scope.isEmpty ? "" : "AND string_to_array(s.scope, ' ') @> \(asked.scope)"
        let isTarget: SQL = asked.api.map { "AND \($0.uuid) = ANY(s.api_ids)" } ?? ""
        let isOwner: SQL = asked.key.map { "AND COALESCE(s.dpop_jkt = \($0.text), true)" } ?? "AND s.dpop_jkt IS NULL"
        // The first proof of a public application binds the next refresh tokens.
        let bound = application.kind.isConfidential ? nil : asked.key
        let binding: SQL = bound.map { ", dpop_jkt = \($0.text)" } ?? ""
        return """
            UPDATE session s SET refresh_generation = s.refresh_generation + 1, refreshed_at = \(now)\(part: binding),
                -- An application may move to another address of its tenant.
                last_host = \(tenant.addresses.current)
            FROM (\(part: User.live)) AS u, (\(part: Tenant.limits)) AS t
            WHERE s.tenant_id = \(tenant.id) AND s.id = \(id) AND s.application_id = \(application.id)
                AND s.refresh_generation = \(generation) AND s.ended_at IS NULL AND s.expires_at > \(now)
                AND s.refreshed_at > \(now.addingTimeInterval(-TimeInterval(application.idleSeconds))) \(part: granted) \(part: isTarget)
                \(part: isOwner)
                AND u.tenant_id = \(tenant.id) AND u.id = s.user_id AND t.id = \(tenant.id)
                AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < s.created_at)
                AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < s.created_at)
                -- The tenant's current limits. This process may still have the previous ones in its cache.
                AND COALESCE(s.created_at + make_interval(secs => t.session_seconds) > \(now), true)
                AND COALESCE(s.refreshed_at + make_interval(secs => t.idle_seconds) > \(now), true)
            RETURNING s.user_id, s.scope, s.refresh_generation, s.refreshed_at, s.expires_at, s.ended_at, s.authenticated_at,
                s.api_ids, s.dpop_jkt, s.host
            """
    }

    /// Finds a session whose user exists and was not signed out since the session started.
    static func find(_ id: ID<Session>, of tenant: ID<Tenant>, application: ID<Application>) -> SQL {
        """
        SELECT s.user_id, s.scope, s.refresh_generation, s.refreshed_at, s.ends_at AS expires_at, s.ended_at,
            s.authenticated_at, stored.api_ids, stored.dpop_jkt, stored.host
        FROM session_life s JOIN session stored ON stored.tenant_id = s.tenant_id AND stored.id = s.id
            JOIN (\(part: User.live)) AS u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
            JOIN (\(part: Tenant.limits)) AS t ON t.id = s.tenant_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(id) AND s.application_id = \(application)
            AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < s.created_at)
            AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < s.created_at)
        """
    }

    /// Ends an application's session, with its audit event and its webhook event. It writes nothing if the session has ended, does not
    /// exist or belongs to another application, so a caller cannot fill the trail. A session that has expired ends too, because its last
    /// access tokens outlive it.
    /// - Parameter condition: a session that satisfies it does not end.
    static func end(
        _ id: ID<Session>, of tenant: ID<Tenant>, because reason: EndReason, actor: ID<Application>, unless condition: SQL = "false",
        at now: Date
    ) -> SQL {
        """
        WITH ended AS (
            UPDATE session SET ended_at = GREATEST(\(now), refreshed_at), ended_reason = \(reason)
            WHERE tenant_id = \(tenant) AND id = \(id) AND application_id = \(actor) AND ended_at IS NULL AND NOT \(part: condition)
            RETURNING tenant_id, user_id),
        audited AS (\(part: AuditEvent.insertion(
            "session.\(reason.rawValue)", owner: tenant.uuid, actor: actor.description, subject: "\(id.description)", source: "FROM ended", at: now)))
        SELECT emit_webhook_event(tenant_id, \(ID<WebhookEvent>(at: now)), \(WebhookEvent.Kind.sessionRevoked), \(now),
            jsonb_build_object('reason', \(reason), 'revoked', 1, 'session_ids', jsonb_build_array(\(id.description)),
                'user_id', public_id('user', user_id)))
        FROM ended
        """
    }
}
