package import Access
import ClientKeys
package import Foundation
package import Postgres
import Tenancy
package import Users

extension User {
    /// The user of an active session of an application.
    package static func find(ofSession session: ID<Session>, of tenant: ID<Tenant>, _ application: Application, at now: Date) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled
        \(part: Session.active(session, of: tenant, application, at: now))
        """
    }
}

extension Session {
    /// Selects the user of an active session of an application, and when Apple authenticated the user. It is null for a session of an older
    /// version.
    package static func authentication(
        of session: ID<Session>, _ tenant: ID<Tenant>, _ application: Application, at now: Date
    ) -> SQL {
        """
        SELECT u.id, u.given_name, u.family_name, u.email, u.email_verified, u.is_private_email, u.email_disabled, s.authenticated_at
        \(part: active(session, of: tenant, application, at: now))
        """
    }

    /// The end of a statement that reads an active session `s` of an application, with its user `u` and its tenant `t`.
    ///
    /// The application's limit comes from the memory of this process, as in a refresh. `session_life` would also read the application, and
    /// the tenant twice.
    static func active(_ session: ID<Session>, of tenant: ID<Tenant>, _ application: Application, at now: Date) -> SQL {
        """
        FROM session s JOIN (\(part: User.live)) AS u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
            JOIN (\(part: Tenant.limits)) AS t ON t.id = s.tenant_id
        WHERE s.tenant_id = \(tenant) AND s.id = \(session) AND s.application_id = \(application.id) AND s.ended_at IS NULL
            AND \(part: end(by: application)) > \(now)
            AND (u.tokens_valid_after IS NULL OR u.tokens_valid_after < s.created_at)
            AND (t.tokens_valid_after IS NULL OR t.tokens_valid_after < s.created_at)
        """
    }

    /// Reads the user of the active session of a login that started after a time, with the same key, and was never refreshed.
    static func justStarted(
        _ login: CompletedLogin, by application: Application, boundTo key: KeyThumbprint?, since start: Date, of tenant: ID<Tenant>,
        at now: Date
    ) -> SQL {
        // The session of a confidential application has no key.
        let bound = application.kind.isConfidential ? nil : key?.text
        return """
            \(part: User.find(ofSession: login.session, of: tenant, application, at: now))
                AND s.created_at >= \(start) AND s.refresh_generation = 0 AND s.dpop_jkt IS NOT DISTINCT FROM \(bound)
            """
    }

    /// When the session `s` of the tenant `t` ends if it is not used before.
    static func end(by application: Application) -> SQL {
        """
        LEAST(s.expires_at, s.created_at + make_interval(secs => t.session_seconds),
            s.refreshed_at + make_interval(secs => LEAST(\(Double(application.idleSeconds)), t.idle_seconds)))
        """
    }

    /// Selects the last sign-in of each team of a user, with its time and the time at which Apple vouched for the user. A sign-in that
    /// changes nothing is recorded only here.
    package static func logins(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT apple_team_id AS team_id, max(created_at) AS last_login_at, max(vouched_at) AS vouched_at FROM session
        WHERE tenant_id = \(tenant) AND user_id = \(user) AND apple_team_id IS NOT NULL GROUP BY apple_team_id
        """
    }

    /// Removes the record of the identity from the sessions of a user under a team. An identity under this team is removed. The remaining
    /// ones have their own times, because they were saved at each sign-in while there were several.
    package static func forgetTeam(_ team: String, of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        WITH own AS (
            SELECT id FROM session WHERE tenant_id = \(tenant) AND user_id = \(user) AND apple_team_id = \(team) ORDER BY id FOR UPDATE)
        UPDATE session s SET apple_team_id = NULL, vouched_at = NULL FROM own WHERE s.tenant_id = \(tenant) AND s.id = own.id
        """
    }

    /// Ends the sessions of an application that is being deleted.
    @Sendable
    package static func endAll(ofApplication id: ID<Application>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        WITH lasting AS (
            SELECT id FROM session
            WHERE tenant_id = \(tenant) AND application_id = \(id) AND ended_at IS NULL AND expires_at > \(now)
            ORDER BY id FOR UPDATE)
        UPDATE session s SET ended_at = GREATEST(\(now), refreshed_at), ended_reason = 'revoked' FROM lasting
        WHERE s.tenant_id = \(tenant) AND s.id = lasting.id
        """
    }

    /// Deletes the sessions of a user. Locks them in order first, so that two deletions cannot deadlock.
    package static func deleteAll(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        WITH own AS (SELECT id FROM session WHERE tenant_id = \(tenant) AND user_id = \(user) ORDER BY id FOR UPDATE)
        DELETE FROM session s USING own WHERE s.tenant_id = \(tenant) AND s.id = own.id
        """
    }

    /// Selects whether there is a session of any tenant.
    package static let anyExists: SQL = "EXISTS (SELECT FROM session)"
}

extension Session {
    /// The last sign-in of each of these users whose sessions are stored.
    package static func lastLogins(
        of users: [ID<User>], in database: OwnerDatabase, _ tenant: ID<Tenant>
    ) async throws -> [ID<User>: Date] {
        guard !users.isEmpty else { return [:] }
        let rows = try await database.run(
            """
            SELECT user_id, max(created_at) AS at FROM session
            WHERE tenant_id = \(tenant) AND user_id = ANY(\(users)) GROUP BY user_id
            """)
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.get("user_id"), try $0.get("at")) })
    }
}
