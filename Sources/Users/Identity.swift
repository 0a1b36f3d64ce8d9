package import Access
package import Apple
import Delivery
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// The binding of a user to Apple's identifier: (tenant, team, Apple `sub`). No other value ever links accounts, in particular no email
/// address.
package enum Identity {
    /// The tenant and application that a sign-in is for, and the time when it started.
    package struct Asked: Sendable {
        package let tenant: ID<Tenant>
        package let application: ID<Application>
        let startedAt: Date

        package init(tenant: ID<Tenant>, application: ID<Application>, startedAt: Date) {
            (self.tenant, self.application, self.startedAt) = (tenant, application, startedAt)
        }
    }

    /// Saves the user of a verified id_token. The first sign-in creates the user, and each later one updates it.
    ///
    /// The name comes from the user's first sign-in. Apple sends it once, so a later name is only a claim of the browser. If several first
    /// sign-ins run at once, only one of them has the name, and it may finish last. A sign-in that started before the user existed
    /// therefore counts as first.
    ///
    /// The email address comes from the signed id_token of this sign-in. If it has none, the previous address stays. Two first sign-ins at
    /// once meet at the identity's primary key, so the second one finds the user of the first.
    ///
    /// The same statement emits a webhook event for a new user. Running the statement again emits the same event, so the tenant receives it
    /// once.
    ///
    /// There is no row if the user's consent ended at Apple after Apple issued this id_token, by Apple's own clock. The notification was
    /// then faster than the browser. A later sign-in is a new consent.
    package static func save(
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
            saved AS (INSERT INTO tenant_user (tenant_id, id, given_name, family_name, email, email_verified, is_private_email,
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
                -- A different address is a different mailbox.
                email_disabled = tenant_user.email_disabled AND (excluded.email IS NULL OR excluded.email = tenant_user.email),
                updated_at = GREATEST(excluded.updated_at, tenant_user.updated_at + interval '1 microsecond')
            RETURNING id)
            SELECT id, CASE WHEN id = \(new) THEN emit_webhook_event(\(tenant), \(ID<WebhookEvent>(at: now)),
                \(WebhookEvent.Kind.userCreated), \(now), jsonb_build_object('user_id', \(new.description),
                    'application_id', \(asked.application.description))) END AS emitted
            FROM saved
            """
    }

    package static func context(_ tenant: ID<Tenant>, team: String, subject: String) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "identity", column: "sealed_refresh_token", row: "\(team)/\(subject)")
    }
}
