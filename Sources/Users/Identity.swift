package import Access
package import Apple
import Delivery
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// The binding of a user to Apple's identifier: (tenant, team, Apple `sub`). No other value ever links accounts, in particular no email
/// address.
///
/// A user can have several, under different teams and under the same one, because a person can have several Apple Accounts.
package enum Identity: Identified {
    package static let idPrefix = "identity"

    /// The limit per user.
    package static let limit = 20

    /// The tenant and application that a sign-in is for.
    package struct Asked: Sendable {
        package let tenant: ID<Tenant>
        package let application: ID<Application>

        package init(tenant: ID<Tenant>, application: ID<Application>) {
            (self.tenant, self.application) = (tenant, application)
        }
    }

    /// Saves the user of a verified id_token. The first sign-in creates the user, and each later one updates it.
    ///
    /// Apple sends the name once per consent. A user without any name gets it from the first sign-in that has one: the first of all, or
    /// the first one after the person stopped using the Apple Account here. A known name stays, because nobody signs a later one.
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
                    \(now), \(now), \(Vouched(token, through: connection).at))
                ON CONFLICT (tenant_id, team_id, apple_sub) DO UPDATE SET
                    sealed_refresh_token = COALESCE(excluded.sealed_refresh_token, identity.sealed_refresh_token),
                    apple_client_id = CASE WHEN excluded.sealed_refresh_token IS NULL THEN identity.apple_client_id
                        ELSE excluded.apple_client_id END,
                    last_login_at = excluded.last_login_at,
                    vouched_at = GREATEST(excluded.vouched_at, identity.vouched_at), revoked_at = NULL, is_asserted = false
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
                    FROM (SELECT tenant_user.given_name IS NULL AND tenant_user.family_name IS NULL AS nameless) AS state),
                email = COALESCE(excluded.email, tenant_user.email),
                email_verified = CASE WHEN excluded.email IS NULL THEN tenant_user.email_verified ELSE excluded.email_verified END,
                is_private_email = CASE WHEN excluded.email IS NULL THEN tenant_user.is_private_email ELSE excluded.is_private_email END,
                -- A different address is a different mailbox.
                email_disabled = tenant_user.email_disabled AND (excluded.email IS NULL OR excluded.email = tenant_user.email),
                updated_at = GREATEST(excluded.updated_at, tenant_user.updated_at + interval '1 microsecond')
            RETURNING id)
            SELECT id, \(part: created(new, asked, at: now)) AS emitted
            FROM saved
            """
    }

    /// The identity of a sign-in, as its session records it.
    package struct Vouched: Sendable, Equatable {
        package let team: String
        /// When Apple vouched for the user, by Apple's clock.
        package let at: Date

        package init(team: String, at: Date) {
            (self.team, self.at) = (team, at)
        }

        package init(_ token: IDToken, through connection: Connection) {
            self.init(team: connection.teamID, at: max(token.issuedAt, Date(timeIntervalSince1970: 0)))
        }
    }

    /// How long a sign-in that changes nothing leaves the identity as it is, in seconds: 30 days. Afterwards `save` stores Apple's newest
    /// refresh token, in case Apple does not accept an old one indefinitely.
    package static let renewal: TimeInterval = 30 * 86400

    /// Selects the user of a verified id_token, and whether `save` would change nothing but the time of the last sign-in and Apple's
    /// refresh token.
    ///
    /// The session records the time (`Session.logins`). The stored refresh token stays, if the same client received it: Apple accepts it as
    /// long as the user's consent lasts. A new consent after a revocation ends it. Then `revoked_at` is set, or Apple sends the user's name
    /// again, and the caller uses `save`. The session names only the team, so a sign-in with one of several identities of a team is always
    /// saved, and so is the first one with an identity that a tenant added.
    static func find(
        by token: IDToken, hasRefreshToken: Bool, of tenant: ID<Tenant>, connection: Connection, at now: Date
    ) -> SQL {
        let grant: SQL = hasRefreshToken ? "AND i.sealed_refresh_token IS NOT NULL AND i.apple_client_id = \(token.audience)" : ""
        let address: SQL =
            token.email.map { email in
                """
                AND u.email = \(email) AND u.email_verified = \(token.emailVerified ?? false)
                    AND u.is_private_email = \(token.isPrivateEmail ?? false)
                """
            } ?? ""
        return """
            SELECT u.id, COALESCE(i.revoked_at IS NULL AND i.last_login_at > \(now - renewal) AND u.deleted_at IS NULL
                AND NOT i.is_asserted \(part: grant) \(part: address) AND \(part: isOnlyOne("i")), false) AS is_unchanged
            FROM identity i JOIN tenant_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id
            WHERE i.tenant_id = \(tenant) AND i.team_id = \(connection.teamID) AND i.apple_sub = \(token.subject)
            """
    }

    /// Saves the user of a verified id_token, if the identity is unknown. It selects no row if it is known, perhaps since a moment ago. It
    /// has the same effect as `save`, with less work.
    /// - Parameter candidate: selects the user that the person must be asked about. If there is one, nothing is saved, and the row is of
    ///   this user.
    static func create(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, asked: Asked, connection: Connection, keyring: Keyring,
        unless candidate: SQL?, at now: Date
    ) -> SQL {
        let (tenant, new) = (asked.tenant, ID<User>(at: now))
        let sealed = refreshToken.map { token_ in
            keyring.seal(Array(token_.utf8), in: context(tenant, team: connection.teamID, subject: token.subject)).bytes
        }
        let found: SQL = candidate.map { "found AS MATERIALIZED (\(part: $0))," } ?? ""
        let unlessFound: SQL = candidate == nil ? "" : "WHERE NOT EXISTS (SELECT FROM found)"
        let orFound: SQL = candidate == nil ? "" : "UNION ALL SELECT id, true, NULL FROM found"
        return """
            WITH \(part: found) known AS (
                INSERT INTO identity (tenant_id, team_id, apple_sub, user_id, sealed_refresh_token, apple_client_id,
                    created_at, last_login_at, vouched_at)
                SELECT \(tenant), \(connection.teamID), \(token.subject), \(new), \(sealed), \(token.audience),
                    \(now), \(now), \(Vouched(token, through: connection).at) \(part: unlessFound)
                ON CONFLICT DO NOTHING
                RETURNING user_id),
            saved AS (INSERT INTO tenant_user (tenant_id, id, given_name, family_name, email, email_verified, is_private_email,
                created_at, updated_at)
            SELECT \(tenant), user_id, \(name?.givenName), \(name?.familyName), \(token.email),
                \(token.emailVerified ?? false), \(token.isPrivateEmail ?? false), \(now), \(now) FROM known
            RETURNING id)
            SELECT id, false AS is_candidate, \(part: created(new, asked, at: now)) AS emitted FROM saved \(part: orFound)
            """
    }

    /// The expression that emits the webhook event of a new user. Running it again emits the same event. Without a subscriber, it costs one
    /// search by key.
    private static func created(_ user: ID<User>, _ asked: Asked, at now: Date) -> SQL {
        """
        CASE WHEN id = \(user) AND \(part: WebhookEvent.isExpected(.userCreated, by: asked.tenant.uuid, at: now)) THEN
            emit_webhook_event(\(asked.tenant), \(ID<WebhookEvent>(at: now)), \(WebhookEvent.Kind.userCreated), \(now),
                jsonb_build_object('user_id', \(user.description), 'application_id', \(asked.application.description))) END
        """
    }

    /// Stores the refresh token of a sign-in whose user was saved a moment ago. It selects no row if the consent has ended since then.
    static func keep(
        refreshToken: String, of token: IDToken, user: ID<User>, _ tenant: ID<Tenant>, connection: Connection, keyring: Keyring,
        at now: Date
    ) -> SQL {
        let sealed = keyring.seal(Array(refreshToken.utf8), in: context(tenant, team: connection.teamID, subject: token.subject)).bytes
        return """
            UPDATE identity SET sealed_refresh_token = \(sealed), apple_client_id = \(token.audience),
                last_login_at = \(now), vouched_at = GREATEST(\(Vouched(token, through: connection).at), vouched_at), is_asserted = false
            WHERE tenant_id = \(tenant) AND team_id = \(connection.teamID) AND apple_sub = \(token.subject) AND user_id = \(user)
                AND revoked_at IS NULL
            RETURNING user_id AS id
            """
    }

    package static func context(_ tenant: ID<Tenant>, team: String, subject: String) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "identity", column: "sealed_refresh_token", row: "\(team)/\(subject)")
    }
}
