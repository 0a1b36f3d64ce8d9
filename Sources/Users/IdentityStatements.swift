package import Access
package import Foundation
package import Postgres
import Tenancy
package import Web

/// The statements on identities that other targets run.
extension Identity {
    /// Whether a tenant has users of another team than this one, as a condition on two expressions. It reads only the two ends of an
    /// index.
    package static func hasOthers(of tenant: SQL, than team: SQL) -> SQL {
        """
        (EXISTS (SELECT FROM identity i WHERE i.tenant_id = \(part: tenant) AND i.team_id < \(part: team))
            OR EXISTS (SELECT FROM identity i WHERE i.tenant_id = \(part: tenant) AND i.team_id > \(part: team)))
        """
    }

    /// Whether a row is the user's only identity under its team, as a condition. A session names only the team, so it is a sign-in with
    /// this identity only then.
    static func isOnlyOne(_ row: SQL) -> SQL {
        """
        NOT EXISTS (SELECT FROM identity AS o WHERE o.tenant_id = \(part: row).tenant_id AND o.user_id = \(part: row).user_id
            AND o.team_id = \(part: row).team_id AND o.apple_sub <> \(part: row).apple_sub)
        """
    }

    /// The public ID of a row, as an expression. A row of an older version has none, so it is derived from the key.
    static func id(_ row: SQL) -> SQL {
        """
        COALESCE(\(part: row).id, encode(substr(sha256(convert_to(
            \(part: row).tenant_id::text || '/' || \(part: row).team_id || '/' || \(part: row).apple_sub, 'UTF8')), 1, 16), 'hex')::uuid)
        """
    }

    /// Makes the changes to the set of a user's identities run one after another. It comes before `lockAll`, which could otherwise miss an
    /// identity that another transaction is adding. This transaction would lock it after the user. A sign-in takes them in the opposite
    /// order, so both would wait for each other. The first number is "iden" in ASCII, which separates the lock from other advisory locks.
    package static func lockSet(of user: ID<User>) -> SQL {
        "SELECT pg_advisory_xact_lock(1768187246, hashtext(\(user)::text))"
    }

    /// Locks the identities of a user in the order in which a sign-in takes them.
    package static func lockAll(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT FROM identity WHERE tenant_id = \(tenant) AND user_id = \(user) ORDER BY team_id, apple_sub FOR UPDATE
        """
    }

    /// Selects the grants of a user at Apple, and whether each has ended or has moved with an app that Apple transferred. Locks the
    /// identities.
    /// - Parameter logins: the statement of `Named.hold` for this user.
    package static func grants(of user: ID<User>, _ tenant: ID<Tenant>, logins: SQL) -> SQL {
        """
        SELECT \(part: id("i")) AS id, i.team_id, i.apple_sub, i.apple_client_id, i.sealed_refresh_token,
            i.revoked_at IS NOT NULL AS is_ended, COALESCE(i.revoked_at = 'infinity', false) AS is_account_deleted, i.is_asserted,
            -- The user moved with an app that Apple has transferred. This does not apply if the user has signed in under the old
            -- team since then, or consented to another app of that team. Apple is asked then, and refuses if that app moved, too.
            EXISTS (SELECT FROM team_transfer_user r
                JOIN team_transfer t ON t.tenant_id = r.tenant_id AND t.id = r.transfer_id AND t.from_team_id = i.team_id
                WHERE r.tenant_id = \(tenant) AND r.user_id = \(user) AND r.state = 'moved'
                    AND r.updated_at >= GREATEST(i.last_login_at, (SELECT l.last_login_at FROM (\(part: logins)) AS l
                        WHERE l.team_id = i.team_id AND \(part: isOnlyOne("i"))))
                    AND t.services_id = i.apple_client_id AND t.closes_at IS NOT NULL) AS has_moved
        FROM identity i WHERE i.tenant_id = \(tenant) AND i.user_id = \(user) ORDER BY i.team_id, i.apple_sub FOR UPDATE
        """
    }

    /// Selects the teams of a user, and locks the identities in the order in which a sign-in takes them.
    package static func lockTeams(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT team_id FROM identity WHERE tenant_id = \(tenant) AND user_id = \(user)
        ORDER BY team_id, apple_sub FOR UPDATE
        """
    }

    /// Ends the consents of a user permanently, and deletes the refresh tokens.
    package static func endAll(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        UPDATE identity SET revoked_at = 'infinity', sealed_refresh_token = NULL
        WHERE tenant_id = \(tenant) AND user_id = \(user)
        """
    }

    /// Selects the identities of a person in a team that still have a user, and whether each has a refresh token or could take one over.
    /// Locks them. An identity that only a tenant asserts needs no consent, because Apple has never vouched for it there.
    package static func sharing(_ subject: String, team: String, client: String, owner: UUID, at now: Date) -> SQL {
        """
        SELECT i.tenant_id, i.sealed_refresh_token IS NOT NULL AS has_token, EXISTS (
            SELECT FROM (\(part: Connection.signingKeys(at: now))) AS c
            WHERE c.team_id = i.team_id AND (c.services_id = \(client) OR \(client) = ANY(c.bundle_ids))
                AND (c.tenant_id = i.tenant_id OR c.tenant_id = \(UUID.platform) AND (
                    c.services_id = \(client) OR i.apple_client_id = \(client) OR i.tenant_id = \(owner)))
        ) AS can_take_over
        FROM identity i JOIN tenant_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id
        WHERE i.team_id = \(team) AND i.apple_sub = \(subject) AND i.revoked_at IS NULL AND NOT i.is_asserted
            AND u.deleted_at IS NULL
        ORDER BY i.tenant_id FOR UPDATE OF i
        """
    }

    /// Stores a sealed refresh token of an identity.
    package static func setRefreshToken(_ sealed: [UInt8], client: String, _ tenant: ID<Tenant>, team: String, subject: String) -> SQL {
        """
        UPDATE identity SET sealed_refresh_token = \(sealed), apple_client_id = \(client)
        WHERE tenant_id = \(tenant) AND team_id = \(team) AND apple_sub = \(subject)
        """
    }

    /// Selects the identities of a user, with the tenant's own connection to each team.
    /// - Parameter logins: the statement of `Named.hold` for this user.
    package static func all(of user: ID<User>, _ tenant: ID<Tenant>, logins: SQL) -> SQL {
        """
        SELECT \(part: id("i")) AS id, i.team_id, i.apple_sub, i.created_at,
            CASE WHEN NOT i.is_asserted THEN GREATEST(i.last_login_at, (SELECT l.last_login_at FROM (\(part: logins)) AS l
                WHERE l.team_id = i.team_id AND \(part: isOnlyOne("i")))) END AS last_login_at,
            NULLIF(i.revoked_at, 'infinity') AS consent_ended_at,
            (SELECT c.id FROM (\(part: Connection.clients)) AS c
                WHERE c.tenant_id = i.tenant_id AND c.team_id = i.team_id ORDER BY c.id LIMIT 1) AS connection_id
        FROM identity i WHERE i.tenant_id = \(tenant) AND i.user_id = \(user) ORDER BY i.created_at, i.team_id, i.apple_sub
        """
    }

    /// Selects a page of the identities of a user. Their IDs are random, so the order has no meaning.
    package static func page(_ page: PageRequest, of user: ID<User>, _ tenant: ID<Tenant>, logins: SQL) -> SQL {
        """
        SELECT id, team_id, apple_sub, created_at, last_login_at, consent_ended_at, connection_id
        FROM (\(part: all(of: user, tenant, logins: logins))) AS own
        WHERE id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }
}

extension Identity.Named {
    /// Ends the consent of the person in these teams, and deletes the refresh tokens.
    package func endConsent(at moment: Date, isForGood: Bool, of tenant: ID<Tenant>) -> SQL {
        """
        UPDATE identity SET revoked_at = CASE WHEN \(isForGood) THEN 'infinity' ELSE \(moment) END, sealed_refresh_token = NULL
        WHERE tenant_id = \(tenant) AND team_id = ANY(\(teams)) AND apple_sub = \(subject)
        """
    }

    /// Deletes a refresh token that Apple issued before the consent ended. The next sign-in stores a token of the new consent.
    package func dropToken(vouchedUntil moment: Date, of tenant: ID<Tenant>) -> SQL {
        """
        UPDATE identity SET sealed_refresh_token = NULL
        WHERE tenant_id = \(tenant) AND team_id = ANY(\(teams)) AND apple_sub = \(subject) AND vouched_at <= \(moment)
        """
    }

    /// Selects the state of the user's mail through Apple's relay, and locks the user.
    package func lockRelay(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT u.id, u.email, u.email_disabled, u.email_event_at, u.deleted_at IS NOT NULL AS is_deleted
        FROM identity i JOIN tenant_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id
        WHERE i.tenant_id = \(tenant) AND i.team_id = ANY(\(teams)) AND i.apple_sub = \(subject) AND NOT i.is_asserted
        LIMIT 1 FOR UPDATE OF u
        """
    }
}
