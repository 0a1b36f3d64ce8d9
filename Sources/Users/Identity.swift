package import Access
package import Apple
import Delivery
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// What Apple calls a user: (tenant, team, Apple's `sub`). Accounts are never joined by anything else,
/// an e-mail address least of all.
package enum Identity {
    /// Who asked for a sign-in, and since when.
    package struct Asked: Sendable {
        package let tenant: ID<Tenant>
        package let application: ID<Application>
        let startedAt: Date

        package init(tenant: ID<Tenant>, application: ID<Application>, startedAt: Date) {
            (self.tenant, self.application, self.startedAt) = (tenant, application, startedAt)
        }
    }

    /// Keeps the user that Apple vouches for: a new one at the first sign-in, else the one it was.
    ///
    /// The name is the one that came with the user's first sign-in: Apple sends it once, so any later one is the browser's word.
    /// Of several first sign-ins under way at once only one has it, and it need not be the first to arrive here: one that began
    /// before the user was there counts as first.
    /// The e-mail is the signed one of this sign-in; without any, the last stays. Two first sign-ins at
    /// once meet at the identity's key: the second finds the first's user.
    ///
    /// Webhooks hear of a new user, in the same statement. A repetition of the statement tells the same event, so it is told once.
    ///
    /// No row where the user's consent at Apple ended after Apple vouched for this sign-in, by Apple's own clock: the notification
    /// was faster than the browser. A later sign-in is a new consent.
    package static func keep(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, asked: Asked, connection: Connection, keyring: Keyring, at now: Date
    ) -> SQL {
        let (tenant, new) = (asked.tenant, ID<User>(at: now))
        let sealed = refreshToken.map { token_ in
            keyring.seal(Array(token_.utf8), in: context(tenant, team: connection.teamID, subject: token.subject)).bytes
        }
        return """
            WITH known AS (
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, sealed_refresh_token, apple_client_id,
                    created_at, last_login_at, vouched_at)
                VALUES (\(tenant), \(connection.teamID), \(token.subject), \(new), \(sealed), \(token.audience),
                    \(now), \(now), \(max(token.issuedAt, Date(timeIntervalSince1970: 0))))
                ON CONFLICT (tenant_id, team_id, apple_sub) DO UPDATE SET
                    sealed_refresh_token = COALESCE(excluded.sealed_refresh_token, identity.sealed_refresh_token),
                    apple_client_id = CASE WHEN excluded.sealed_refresh_token IS NULL THEN identity.apple_client_id
                        ELSE excluded.apple_client_id END,
                    last_login_at = excluded.last_login_at,
                    vouched_at = GREATEST(excluded.vouched_at, identity.vouched_at), revoked_at = NULL
                WHERE identity.revoked_at IS NULL OR identity.revoked_at < excluded.vouched_at
                RETURNING user_id),
            kept AS (INSERT INTO tenant_user (tenant_id, id, given_name, family_name, email, email_verified, is_private_email,
                created_at, updated_at)
            SELECT \(tenant), user_id, \(name?.givenName), \(name?.familyName), \(token.email),
                \(token.emailVerified ?? false), \(token.isPrivateEmail ?? false), \(now), \(now) FROM known
            ON CONFLICT (tenant_id, id) DO UPDATE SET
                (given_name, family_name) = (SELECT
                    CASE WHEN nameless THEN excluded.given_name ELSE tenant_user.given_name END,
                    CASE WHEN nameless THEN excluded.family_name ELSE tenant_user.family_name END
                    FROM (SELECT tenant_user.given_name IS NULL AND tenant_user.family_name IS NULL
                        AND tenant_user.created_at >= \(asked.startedAt) AS nameless) AS state),
                email = COALESCE(excluded.email, tenant_user.email),
                email_verified = CASE WHEN excluded.email IS NULL THEN tenant_user.email_verified ELSE excluded.email_verified END,
                is_private_email = CASE WHEN excluded.email IS NULL THEN tenant_user.is_private_email ELSE excluded.is_private_email END,
                -- Another address is another mailbox.
                email_disabled = tenant_user.email_disabled AND (excluded.email IS NULL OR excluded.email = tenant_user.email),
                updated_at = GREATEST(excluded.updated_at, tenant_user.updated_at + interval '1 microsecond')
            RETURNING id)
            SELECT id, CASE WHEN id = \(new) THEN emit_webhook_event(\(tenant), \(ID<WebhookEvent>(at: now)),
                \(WebhookEvent.Kind.userCreated), \(now), jsonb_build_object('user_id', \(new.description),
                    'application_id', \(asked.application.description))) END AS told
            FROM kept
            """
    }

    package static func context(_ tenant: ID<Tenant>, team: String, subject: String) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "identity", column: "sealed_refresh_token", row: "\(team)/\(subject)")
    }
}
